// SPDX-License-Identifier: MIT
#include "course/check_course.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "base/parallel.h"
#include "course/handout_table.h"
#include "course/rubric_proof.h"
#include "course/untouched.h"

namespace warpgrade {
namespace {

constexpr int kSlotsOfABench = 16;  // of its own, for the driver and the baselines

struct Task {
  size_t assignment;
  size_t task;
};

/// The first of an assignment's own slots.
int own_slot(const CheckOptions& options, size_t assignment) {
  return options.jobs + kSlotsOfABench * static_cast<int>(assignment);
}

}  // namespace

bool CourseReport::ok() const {
  return undone == 0 && complaints.empty() &&
         std::all_of(assignments.begin(), assignments.end(),
                     [](const AssignmentReport& each) { return each.ok(); });
}

long CourseReport::compared() const {
  long count = 0;
  for (const AssignmentReport& each : assignments) {
    for (const CourseRow& row : each.rows) {
      for (const auto& [kind, verdicts] : row.compared) count += verdicts;
    }
  }
  return count;
}

bool CourseReport::has_error() const {
  return std::any_of(assignments.begin(), assignments.end(),
                     [](const AssignmentReport& each) { return !each.error.empty(); });
}

CourseReport check_course(const Installation& installation, const CheckOptions& options,
                          const CheckProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<AssignmentCheck>> checks;
  std::vector<Task> tasks;
  for (const std::string& slug : options.slugs) {
    AssignmentMemory* memory = options.memory == nullptr ? nullptr : &(*options.memory)[slug];
    checks.push_back(
        std::make_unique<AssignmentCheck>(installation, slug, options.seed, options.scope, memory));
    options.tell_at_once(slug, checks.back()->found_at_once());
    for (size_t task = 0; task < checks.back()->tasks(); ++task)
      tasks.push_back({checks.size() - 1, task});
  }
  // While the last programs of an assignment run, the next one's cases are made.
  std::vector<std::future<void>> opened(checks.size());
  const auto open_behind = [&](size_t assignment) {
    if (++assignment == checks.size()) return;
    opened[assignment] = std::async(std::launch::async, [&options, &checks, assignment] {
      checks[assignment]->open(own_slot(options, assignment));
    });
  };
  std::mutex reporting;
  size_t done = 0;
  in_parallel(tasks.size(), options.jobs, [&](size_t index, int slot) {
    if (options.stopped()) return;
    const auto [assignment, task] = tasks[index];
    AssignmentCheck& check = *checks[assignment];
    if (task == 0) open_behind(assignment);
    check.run(task, slot, own_slot(options, assignment));
    const std::lock_guard guard(reporting);
    progress(options.slugs[assignment] + ": " + check.name_of(task), ++done, tasks.size());
  });

  for (const std::future<void>& each : opened) {
    if (each.valid()) each.wait();
  }

  CourseReport report;
  report.seed = options.seed;
  report.tasks = tasks.size();
  report.undone = tasks.size() - done;
  for (size_t i = 0; i < checks.size(); ++i) {
    if (!options.stopped()) checks[i]->repeat_alone(own_slot(options, i));
    report.assignments.push_back(checks[i]->finish());
  }
  const bool is_whole = options.whole_course && options.scope == ProofScope::kWhole;
  if (is_whole && report.undone == 0) {
    const Result<Course> course = read_course(RealFiles(), installation.paths.course / "rubrics");
    // A mistake in course.yaml is each assignment's error already.
    if (course) report.complaints = complaints_about_course(report.assignments, course->proof);
  }
  report.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<std::string> complaints_about_course(const std::vector<AssignmentReport>& assignments,
                                                 const ProofPolicy& proof) {
  int mutants = 0;
  for (const AssignmentReport& each : assignments) mutants += count_mutants(each.rows).mutants;
  if (mutants >= proof.mutants_of_course) return {};
  return {fmt::format("the course has {} mutants, at least {} are needed", mutants,
                      proof.mutants_of_course)};
}

Result<std::vector<std::string>> write_generated(Files& files, const Paths& paths,
                                                 const std::vector<std::string>& slugs) {
  std::vector<std::string> written;
  for (const std::string& slug : slugs) {
    const fs::path handout = paths.assignment(slug) / "handout.md";
    const Result<Rubric> rubric = read_rubric(files, paths.rubric(slug));
    if (!rubric) return rubric.error();
    const Result<std::string> old = files.read(handout),
                              skeleton = files.read(paths.skeleton(slug) / rubric->submission);
    if (!old) return old.error();
    if (!skeleton) return skeleton.error();
    const Result<std::string> text = with_rubric_table(*old, *rubric);
    if (!text) return Error{fmt::format("{}: {}", handout.string(), text.error().message)};
    Result<std::map<fs::path, std::string>> generated = translated_statements(files, paths, slug);
    if (!generated) return generated.error();
    generated->emplace(handout, *text);
    generated->emplace(paths.assignment(slug) / "skeleton.sha256", skeleton_stamp(*skeleton));
    for (const auto& [path, now] : *generated) {
      const Result<std::string> before = files.read(path);
      if (before.ok() && *before == now) continue;
      if (Status done = files.write(path, now); !done) return done.error();
      written.push_back(path.string());
    }
  }
  return written;
}

}  // namespace warpgrade
