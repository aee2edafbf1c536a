// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "commands/options.h"
#include "commands/stop.h"
#include "course/course_parts.h"
#include "course/course_report.h"
#include "course/handout.h"
#include "course/new_assignment.h"
#include "pipeline/driver.h"
#include "pipeline/grade.h"
#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

void show_check_progress(const std::string& what, size_t done, size_t all) {
  constexpr size_t kBarColumns = 30;
  if (::isatty(STDERR_FILENO) == 0) return;
  const size_t filled = kBarColumns * done / all;
  fmt::print(stderr, "\r\033[K[{}{}] {}/{} {}{}", std::string(filled, '#'),
             std::string(kBarColumns - filled, '.'), done, all, what,
             done == all ? "\r\033[K" : "");
}

/// What is wrong with files stands there before minutes of grading, and once more in the report.
void tell_at_once(const std::string& slug, const std::vector<std::string>& complaints) {
  for (const std::string& complaint : complaints) fmt::print(stderr, "{}: {}\n", slug, complaint);
}

int write_command(const Options& options, const std::vector<std::string>& slugs) {
  RealFiles files;
  const Result<std::vector<std::string>> written =
      write_generated(files, find_paths(options), slugs);
  if (!written) return complain(written.error(), kUsage);
  for (const std::string& path : *written) fmt::print("wrote {}\n", path);
  return kAllGood;
}

/// Where it was stopped: how far it came.
void tell_of_stop(const CourseReport& report) {
  if (report.undone != 0)
    fmt::print(stderr,
               "interrupted: {} of {} tasks were done, and what is said here is of these alone\n",
               report.tasks - report.undone, report.tasks);
}

int status_of(const CourseReport& report, const Options& options) {
  if (report.undone != 0) return stopped_status();
  if (report.has_error()) return kUsage;
  if (options.device == DeviceChoice::kGpu && report.compared() == 0)
    return complain({"no GPU judged anything: see warpgrade doctor"}, kNotAll);
  return report.ok() ? kAllGood : kNotAll;
}

/// Under several seeds: what is wrong under each as soon as it is known.
int check_seeds(const Installation& installation, const CheckOptions& check,
                const Options& options) {
  const std::vector<CourseReport> reports =
      check_course(installation, check, show_check_progress, [&](const CourseReport& report) {
        if (options.format == kText) fmt::print("{}", format_wrong(report));
        std::fflush(stdout);
      });
  fmt::print("{}", options.format == kText ? format_seeds(reports) : format_seeds_json(reports));
  int status = kAllGood;
  for (const CourseReport& report : reports) status = std::max(status, status_of(report, options));
  tell_of_stop(reports.back());
  return status;
}

/// Where programs are kept from one seed to the next although the user keeps none.
Result<std::unique_ptr<Workspace>> keep_programs(Installation& installation) {
  if (!installation.paths.build_cache.empty()) return std::unique_ptr<Workspace>();
  Result<std::unique_ptr<Workspace>> kept = Workspace::make();
  if (kept) installation.paths.build_cache = (*kept)->folder() / "programs";
  return kept;
}

int check_command(const Options& options, ProofScope scope) {
  const std::vector<std::string> slugs = options.slugs.empty() ? all_slugs(options) : options.slugs;
  if (slugs.empty())
    return complain({"no rubric was found: run this inside the course's folder or pass --course"},
                    kUsage);
  if (options.write) return write_command(options, slugs);
  note_stop_signals();
  Result<Installation> installation = find_installation(options, SandboxNeed::kRequired);
  if (!installation) return complain(installation.error(), kNotAll);
  if (options.device == DeviceChoice::kGpu && !installation->gpu)
    return complain({installation->why_no_gpu}, kNotAll);
  const Result<std::unique_ptr<Workspace>> programs = keep_programs(*installation);
  if (!programs) return complain(programs.error(), kNotAll);
  const CheckOptions check{slugs,         options.slugs.empty(),
                           options.jobs,  options.seed.value_or(fresh_seed()),
                           options.seeds, is_stopped,
                           scope,         tell_at_once};
  if (options.seeds > 1) return check_seeds(*installation, check, options);
  const CourseReport report = check_course(*installation, check, show_check_progress).front();
  if (options.format == kJson) {
    fmt::print("{}", format_course_json(report));
  } else {
    if (slugs.size() == 1 && !report.has_error())
      fmt::print("{}", format_assignment(report.assignments.front()));
    fmt::print("{}", format_course(report));
  }
  std::fflush(stdout);
  tell_of_stop(report);
  return status_of(report, options);
}

int new_command(const Options& options) {
  const fs::path course = find_paths(options).course;
  const Result<FileTree> tree = new_assignment(engine(), options.slug, options.title);
  if (!tree) return complain(tree.error(), kUsage);
  if (Status added = add_assignment(*tree, course); !added) return complain(added.error(), kUsage);
  for (const auto& [path, text] : *tree) fmt::print("{}\n", path.string());
  fmt::print(
      "\nNow: warpgrade check {}\n"
      "Then change one file after another: {}\n",
      options.slug, (engine().sources / "docs/add-an-assignment.md").string());
  return kAllGood;
}

/// Each assignment has what students get.
Status require_handouts(const Options& options, const std::vector<std::string>& slugs) {
  for (const std::string& slug : slugs) {
    const Result<Rubric> rubric = load_rubric(options, slug);
    if (!rubric) return rubric.error();
    const Status whole = require_parts(RealFiles(), find_paths(options).course, slug,
                                       parts_for_handout(slug, rubric->submission));
    if (!whole) return whole;
  }
  return {};
}

int handout_command(const Options& options) {
  const std::vector<std::string> slugs = options.slugs.empty() ? all_slugs(options) : options.slugs;
  if (slugs.empty()) return complain({"no rubric was found: pass --course"}, kUsage);
  const Result<Installation> installation = find_installation(options, SandboxNeed::kNone);
  if (!installation) return complain(installation.error(), kNotAll);
  if (Status whole = require_handouts(options, slugs); !whole)
    return complain(whole.error(), kUsage);
  const Result<std::string> language = speak_to_students(options);
  if (!language) return complain(language.error(), kUsage);
  Result<FileTree> tree = handout_files(installation->paths, slugs, *language),
                   programs = engine_files(*installation, slugs);
  if (!tree) return complain(tree.error(), kUsage);
  if (!programs) return complain(programs.error(), kNotAll);
  tree->merge(*programs);
  const bool zip = options.output.extension() == ".zip";
  const Status written = zip ? write_zip(*tree, engine(), options.output, options.output.stem())
                             : write_tree(*tree, options.output);
  if (!written) return complain(written.error(), kUsage);
  fmt::print("{}: {} files for {}\n", options.output.string(), tree->size(), join(slugs, ", "));
  return kAllGood;
}

int driver_command(const Options& options) {
  const Result<Installation> installation = find_installation(options, SandboxNeed::kNone);
  if (!installation) return complain(installation.error(), kNotAll);
  const Status made = prebuild_driver(*installation, options.slug, options.output);
  return made ? kAllGood : complain(made.error(), kUsage);
}

void add_check(CLI::App& app, Options& options) {
  const auto quick = std::make_shared<bool>(false);
  CLI::App* check = app.add_subcommand("check", "Prove that the course grades what it claims to");
  check->footer(
      "Example:\n  warpgrade check matmul-pitched\n\nThe reference earns everything, the skeleton "
      "nothing, "
      "each "
      "mutant loses what it should,\neach case refuses answers that are not right, and the handout "
      "tells no secret.\nWhy an answer loses what it does, warpgrade grade SLUG FILE says.\n"
      "Exit: 0 proved, 1 not, 2 usage or a mistake in a file of the course.\n"
      "Line 2 of a mutant names a kind of mistake; rubrics/course.yaml lists them under 'proof'.");
  check->callback([quick, &options] {
    options.status = check_command(options, *quick ? ProofScope::kQuick : ProofScope::kWhole);
  });
  check->add_option("SLUG", options.slugs, "Assignments; all if none is named");
  add_jobs_option(*check, options);
  check->add_option("--format", options.format, "text, or json for other programs")
      ->check(CLI::IsMember({kText, kJson}))
      ->capture_default_str();
  check->add_option("--seed", options.seed, "The seed of the inputs; a new one if not given");
  check
      ->add_option("--seeds", options.seeds,
                   "Prove it under so many seeds, --seed and those that follow it, and show only "
                   "what is wrong")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_device_option(*check, options, "emulated");
  add_sandbox_option(*check, options);
  check->add_flag("--untimed", options.untimed,
                  "On a GPU: run every case there too and compare the verdicts, but time nothing");
  check->add_flag("--quick", *quick,
                  "Grade few wrong answers: a small set of mutants that still loses every item, "
                  "and no exploits");
  check->add_flag("--write", options.write,
                  "Only write what is generated: the handouts' tables of points, the skeletons' "
                  "stamps");
}

}  // namespace

void add_course(CLI::App& app, Options& options) {
  add_check(app, options);
  CLI::App* made = add_command(app, options, "new", "Start an assignment from a working one",
                               "warpgrade new prefix-sum --title 'Prefix sums'", new_command);
  made->add_option("SLUG", options.slug, "Its name in all paths: letters, digits and '-'")
      ->required();
  made->add_option("--title", options.title, "What students read")->capture_default_str();
  CLI::App* handout = add_command(app, options, "handout", "Write what students get",
                                  "warpgrade handout vecadd matadd -o week1.zip", handout_command);
  handout->add_option("SLUG", options.slugs, "Assignments; all if none is named");
  handout->add_option("-o,--output", options.output, "A new folder, or a file NAME.zip")
      ->required();
  CLI::App* driver =
      add_command(app, options, "driver", "Compile a driver ahead of grading (ninja does)",
                  "warpgrade driver matmul-pitched -o driver-matmul-pitched.o", driver_command);
  driver->add_option("SLUG", options.slug, "The assignment")->required();
  driver->add_option("-o,--output", options.output, "The object")->required();
}

}  // namespace warpgrade
