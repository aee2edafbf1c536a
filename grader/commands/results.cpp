// SPDX-License-Identifier: MIT
#include "commands/results.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/text.h"
#include "commands/stored_class.h"
#include "commands/terminal.h"
#include "report/class_status.h"
#include "report/text_report.h"
#include "report/versions.h"

namespace warpgrade {
namespace {

/// What `show` and `status` are asked.
struct ResultsRequest {
  fs::path folder;
  std::string student;
  bool colour = false;
  bool for_student = false;
};

Colour colour_of(const ResultsRequest& request) {
  const bool is_wanted =
      request.colour || (::isatty(STDOUT_FILENO) != 0 && variable("NO_COLOR").empty());
  return is_wanted ? Colour::kAlways : Colour::kNever;
}

/// "Ana Anić; canvas 1001; handed in as anaanic_1001_55_vecadd.cu"
std::string describe(const Identity& identity) {
  std::vector<std::string> parts;
  if (!identity.name.empty()) parts.push_back(identity.name);
  for (const auto& [kind, id] : identity.ids) parts.push_back(fmt::format("{} {}", kind, id));
  if (!identity.group.empty()) parts.push_back("group of " + join(identity.group, ", "));
  if (!identity.handed_in.empty()) parts.push_back("handed in as " + identity.handed_in);
  return printable(join(parts, "; "));
}

int show_command(const ResultsRequest& request) {
  const Result<StoredClass> stored = read_class(request.folder);
  if (!stored) return complain(stored.error(), kUsage);
  const Result<SubmissionResult> result = find_student(*stored, request.student);
  if (!result) return complain(result.error(), kUsage);
  const std::string who = describe(result->identity);
  if (!who.empty()) fmt::print("{}\n", who);
  const std::string source = ResultsFolder(request.folder, stored->assignment).source_of(*result);
  const ReportView view{colour_of(request), terminal_columns(), source};
  if (request.for_student) {
    fmt::print("{}", format_report(for_student(*result), view));
  } else {
    fmt::print("{}{}", format_report(*result, view), format_staff_notes(*result));
  }
  return result->has_system_error() ? kNotAll : kAllGood;
}

/// Files that a graded class has and this folder lacks.
std::vector<std::string> missing_files(const ResultsRequest& request, const StoredClass& stored) {
  const RealFiles files;
  std::vector<std::string> missing;
  for (const char* name : {"grades.csv", "seed"}) {
    if (!files.exists(request.folder / name)) missing.emplace_back(name);
  }
  for (const SubmissionResult& result : stored.results) {
    const fs::path text = fs::path("students") / (result.student + ".txt");
    if (!files.exists(request.folder / text)) missing.push_back(text.string());
  }
  return missing;
}

int status_command(const ResultsRequest& request) {
  const Result<StoredClass> stored = read_class(request.folder);
  if (!stored) return complain(stored.error(), kUsage);
  const auto all = static_cast<long>(stored->results.size() + stored->damaged.size());
  fmt::print("{}, {}: {}\n{}", stored->assignment.empty() ? "unknown" : stored->assignment,
             request.folder.string(), counted(all, "result"), format_status(stored->results));
  for (const DamagedResult& each : stored->damaged)
    fmt::print("damaged         {}: {}. Grade the submission again\n", printable(each.student),
               printable(each.why));
  const std::vector<std::string> missing = missing_files(request, *stored);
  constexpr size_t kMostShown = 5;
  if (!missing.empty())
    fmt::print("missing         {}{}: the command that graded writes them again\n",
               join({missing.begin(),
                     missing.begin() + static_cast<long>(std::min(missing.size(), kMostShown))},
                    ", "),
               missing.size() > kMostShown
                   ? fmt::format(" and {} more", missing.size() - kMostShown)
                   : "");
  const bool is_whole =
      stored->damaged.empty() && missing.empty() &&
      std::none_of(stored->results.begin(), stored->results.end(),
                   [](const SubmissionResult& each) { return each.has_system_error(); });
  return is_whole ? kAllGood : kNotAll;
}

}  // namespace

void add_results(CLI::App& app, Options& options) {
  const auto request = std::make_shared<ResultsRequest>();
  const auto add = [&](const char* name, const char* what, const char* example,
                       int (*run)(const ResultsRequest&)) {
    CLI::App* command = app.add_subcommand(name, what);
    command->footer(fmt::format("Example:\n  {}", example));
    command->callback([&options, request, run] { options.status = run(*request); });
    command->add_option("DIR", request->folder, "A folder that grade wrote")->required();
    return command;
  };
  CLI::App* show = add("show", "Show one student's full report",
                       "warpgrade show results/vecadd ana\n\n"
                       "Exit: 0, 1 where the submission could not be graded, 2 where the class has "
                       "no such student.",
                       show_command);
  show->add_option("STUDENT", request->student,
                   "The student's id, the name, or an id of the LMS, in upper or lower case")
      ->required();
  show->add_flag("--color", request->colour,
                 "Colour the status of items; without it, on terminals only and not with NO_COLOR");
  show->add_flag("--for-student", request->for_student, "Only what the student may read");
  add("status", "Say how far the grading of a class is",
      "warpgrade status results/vecadd\n\nCounts the results that are final, provisional, not "
      "gradable, late "
      "and "
      "flagged, and the versions of\nrubric and grader. Exit: 0 all graded, 1 not all.",
      status_command);
}

}  // namespace warpgrade
