// SPDX-License-Identifier: MIT
#include "course/check_course.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <set>

#include "base/parallel.h"
#include "course/handout_table.h"
#include "course/rubric_proof.h"
#include "course/untouched.h"

namespace warpgrade {
namespace {

constexpr int kSlotsOfABench = 16;  // of its own, for the driver and the baselines

using Clock = std::chrono::steady_clock;

/// Slots behind those of the submissions, for each Bench that is open.
class OwnSlots {
 public:
  explicit OwnSlots(int first) : first_(first) {}

  int take() {
    const std::lock_guard guard(lock_);
    int number = 0;
    while (taken_.count(number) != 0) ++number;
    taken_.insert(number);
    return first_ + kSlotsOfABench * number;
  }
  void give_back(int slot) {
    const std::lock_guard guard(lock_);
    taken_.erase((slot - first_) / kSlotsOfABench);
  }

 private:
  int first_;
  std::mutex lock_;
  std::set<int> taken_;
};

/// One assignment under one seed.
struct Part {
  std::once_flag begun;
  std::shared_ptr<AssignmentCheck> check;  ///< from the beginning to the report
  int own_slot = 0;
  size_t left = 0;  ///< tasks
  std::optional<AssignmentReport> report;
};

/// One seed and its parts, in the order of the slugs.
struct Seed {
  explicit Seed(size_t assignments) : parts(assignments) {}
  std::vector<Part> parts;
  Clock::time_point start;
  size_t done = 0;  ///< tasks
};

/// All tasks of all seeds, for one pool of threads.
class CourseCheck {
 public:
  CourseCheck(const Installation& installation, const CheckOptions& options,
              const CheckProgress& progress, const SeedProgress& proved)
      : installation_(installation),
        options_(options),
        progress_(progress),
        proved_(proved),
        own_slots_(options.jobs) {}

  std::vector<CourseReport> run() {
    add_seeds();
    const size_t all = tasks_.size() * seeds_.size();
    in_parallel(all, options_.jobs, [&](size_t index, int slot) {
      if (options_.stopped()) return;
      work(index / tasks_.size(), tasks_[index % tasks_.size()], slot, all);
    });
    for (const std::future<void>& each : opened_) each.wait();
    finish_the_rest();
    return std::move(reports_);
  }

 private:
  struct Task {
    size_t assignment, task;
  };

  /// Which tasks there are is the same under each seed, and known from the files of the course.
  void add_seeds() {
    const size_t assignments = options_.slugs.size();
    seeds_.push_back(std::make_unique<Seed>(assignments));
    bool is_readable = true;
    for (size_t i = 0; i < assignments; ++i) {
      const std::shared_ptr<AssignmentCheck> check = begin(0, i);
      options_.tell_at_once(options_.slugs[i], check->found_at_once());
      is_readable = is_readable && check->tasks() != 0;
      for (size_t task = 0; task < check->tasks(); ++task) tasks_.push_back({i, task});
    }
    for (int more = 1; more < options_.seeds && is_readable; ++more)
      seeds_.push_back(std::make_unique<Seed>(assignments));
    reports_.resize(seeds_.size());
  }

  /// nullptr where it has ended.
  std::shared_ptr<AssignmentCheck> begin(size_t seed, size_t assignment) {
    Part& part = seeds_[seed]->parts[assignment];
    std::call_once(part.begun, [&] {
      if (assignment == 0) seeds_[seed]->start = Clock::now();
      const std::string& slug = options_.slugs[assignment];
      part.own_slot = own_slots_.take();
      part.check = std::make_shared<AssignmentCheck>(installation_, slug, options_.seed + seed,
                                                     options_.scope, memory_of(slug));
      part.left = part.check->tasks();
    });
    const std::lock_guard guard(lock_);
    return part.check;
  }

  AssignmentMemory* memory_of(const std::string& slug) {
    if (options_.seeds == 1) return nullptr;
    const std::lock_guard guard(lock_);
    return &memory_[slug];
  }

  /// While the last programs of an assignment run, the next one's cases are made.
  void open_behind(size_t seed, size_t assignment) {
    if (++assignment == options_.slugs.size()) {
      assignment = 0;
      if (++seed == seeds_.size()) return;
    }
    const std::lock_guard guard(lock_);
    opened_.push_back(std::async(std::launch::async, [this, seed, assignment] {
      const std::shared_ptr<AssignmentCheck> check = begin(seed, assignment);
      if (check) check->open(seeds_[seed]->parts[assignment].own_slot);
    }));
  }

  void work(size_t seed, Task task, int slot, size_t all) {
    const std::shared_ptr<AssignmentCheck> check = begin(seed, task.assignment);
    if (task.task == 0) open_behind(seed, task.assignment);
    Part& part = seeds_[seed]->parts[task.assignment];
    check->run(task.task, slot, part.own_slot);
    const std::lock_guard guard(lock_);
    ++seeds_[seed]->done;
    progress_(name_of(seed, task.assignment) + ": " + check->name_of(task.task), ++done_, all);
    if (--part.left == 0 && !check->has_to_repeat()) end(seed, task.assignment);
  }

  std::string name_of(size_t seed, size_t assignment) const {
    const std::string& slug = options_.slugs[assignment];
    return seeds_.size() == 1 ? slug : fmt::format("seed {}: {}", options_.seed + seed, slug);
  }

  /// A report takes less memory than the check that it comes from.
  void end(size_t seed, size_t assignment) {
    Part& part = seeds_[seed]->parts[assignment];
    part.report = part.check->finish();
    part.check.reset();
    own_slots_.give_back(part.own_slot);
    const std::vector<Part>& parts = seeds_[seed]->parts;
    if (std::all_of(parts.begin(), parts.end(), [](const Part& each) { return each.report; }))
      report(seed);
  }

  void report(size_t seed) {
    CourseReport& report = reports_[seed];
    report.seed = options_.seed + seed;
    report.tasks = tasks_.size();
    report.undone = tasks_.size() - seeds_[seed]->done;
    for (Part& part : seeds_[seed]->parts) report.assignments.push_back(std::move(*part.report));
    const bool is_whole = options_.whole_course && options_.scope == ProofScope::kWhole;
    if (is_whole && report.undone == 0) {
      const Result<Course> course =
          read_course(RealFiles(), installation_.paths.course / "rubrics");
      // A mistake in course.yaml is each assignment's error already.
      if (course) report.complaints = complaints_about_course(report.assignments, course->proof);
    }
    report.wall_s = std::chrono::duration<double>(Clock::now() - seeds_[seed]->start).count();
    proved_(report);
  }

  /// What has to be repeated alone, what could not be read, and what was stopped.
  void finish_the_rest() {
    while (seeds_.size() > 1 && seeds_.back()->done == 0) seeds_.pop_back();
    reports_.resize(seeds_.size());
    for (size_t seed = 0; seed < seeds_.size(); ++seed) {
      for (size_t i = 0; i < options_.slugs.size(); ++i) {
        const Part& part = seeds_[seed]->parts[i];
        if (part.report) continue;
        const std::shared_ptr<AssignmentCheck> check = begin(seed, i);
        if (!options_.stopped()) check->repeat_alone(part.own_slot);
        end(seed, i);
      }
    }
  }

  const Installation& installation_;
  const CheckOptions& options_;
  const CheckProgress& progress_;
  const SeedProgress& proved_;
  OwnSlots own_slots_;
  SeedMemory memory_;
  std::vector<Task> tasks_;
  std::vector<std::unique_ptr<Seed>> seeds_;
  std::mutex lock_;  ///< of all below, and of what the seeds count
  size_t done_ = 0;
  std::vector<std::future<void>> opened_;
  std::vector<CourseReport> reports_;
};

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

std::vector<CourseReport> check_course(const Installation& installation,
                                       const CheckOptions& options, const CheckProgress& progress,
                                       const SeedProgress& proved) {
  return CourseCheck(installation, options, progress, proved).run();
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
