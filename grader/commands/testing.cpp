// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "commands/options.h"
#include "course/untouched.h"
#include "pipeline/grade.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

constexpr double kFullMarks = 100;

/// Each of `ids` is a public case.
Status check_cases(const Rubric& rubric, const std::vector<std::string>& ids) {
  std::vector<std::string> known;
  for (const Case& each : rubric.cases) {
    if (each.visibility == Visibility::kPublic) known.push_back(each.id);
  }
  for (const std::string& id : ids) {
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    const std::string meant = nearest(id, known);
    return Error{fmt::format("{} has no public case '{}'; {}", rubric.assignment, id,
                             meant.empty() ? "its public cases are " + join(known, ", ")
                                           : fmt::format("did you mean '{}'?", meant))};
  }
  return {};
}

int test_command(const Options& options) {
  const Result<Rubric> rubric = load_rubric(options, options.slug);
  if (!rubric) return complain(rubric.error(), kUsage);
  if (const Status known = check_cases(*rubric, options.cases); !known)
    return complain(known.error(), kUsage);
  const Paths paths = find_paths(options);
  const fs::path file = paths.skeleton(options.slug) / rubric->submission;
  const RealFiles files;
  const Result<std::string> source = files.read(file),
                            stamp = files.read(paths.assignment(options.slug) / "skeleton.sha256");
  if (!source) return complain(source.error(), kUsage);
  if (stamp.ok() && is_untouched(*source, *stamp)) {
    fmt::print(
        "not started: {} is as it was handed out. Work through its TODOs, then run this again.\n",
        file.string());
    return kNotStarted;
  }
  const Rubric view = student_view(*rubric, options.cases);
  if (view.cases.empty()) return complain({options.slug + " has no public case"}, kUsage);
  const Result<Installation> installation = find_installation(options, SandboxNeed::kOwnProgram);
  if (!installation) return complain(installation.error(), kSystem);
  const Submission submission{"you", file, *source, "", ""};
  const Result<std::vector<SubmissionResult>> results =
      grade_all(*installation, view, {submission}, 1, options.seed.value_or(fresh_seed()));
  if (!results) return complain(results.error(), kSystem);
  const SubmissionResult& result = results->front();
  fmt::print("{}", format_report(result));
  if (result.max_score < kFullMarks && options.cases.empty())
    fmt::print("The public cases judge {:g} of the {:g} points; hidden ones judge the rest.\n",
               result.max_score, kFullMarks);
  if (result.has_system_error()) return kSystem;
  const bool all =
      std::all_of(result.items.begin(), result.items.end(),
                  // What waits for a GPU, or for the staff's baselines, is no fault.
                  [](const ItemResult& item) { return item.status <= Outcome::kPending; });
  return all ? kAllGood : kNotAll;
}

}  // namespace

void add_testing(CLI::App& app, Options& options) {
  CLI::App* test = add_command(app, options, "test", "Test your own work on the public cases",
                               "warpgrade test matmul-pitched\n\nExit: 0 all passed, 1 not all, 77 "
                               "not started, 99 system error.",
                               test_command);
  test->add_option("SLUG", options.slug, "The assignment")->required();
  test->add_option("CASE", options.cases, "Only these cases");
}

}  // namespace warpgrade
