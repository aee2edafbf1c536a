// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "commands/reports.h"
#include "pipeline/results_folder.h"

namespace warpgrade {
namespace {

/// What DIR holds, and which of it cannot be used.
struct ReadResults {
  std::vector<SubmissionResult> all;
  std::vector<DamagedResult> damaged;
};

ReadResults read_results(const ResultsFolder& folder) {
  ReadResults read;
  for (const std::string& student : folder.students()) {
    StoredResult stored = folder.stored(student);
    if (stored.result) {
      read.all.push_back(std::move(*stored.result));
    } else {
      read.damaged.push_back({student, stored.damage});
    }
  }
  return read;
}

Status write_pages(const ResultsFolder& folder, const std::vector<SubmissionResult>& results) {
  for (const SubmissionResult& result : results) {
    if (Status written = folder.write_report(result); !written) return written;
  }
  return folder.write_class_page(results);
}

/// A result's reasons were written while it was graded, and its pages are in their language.
Status require_language(const std::string& asked, const std::vector<SubmissionResult>& results) {
  for (const SubmissionResult& result : results) {
    if (asked.empty() || asked == result.language) continue;
    return Error{
        fmt::format("{} was graded in the language '{}': pages in '{}' need `warpgrade "
                    "--language {} grade`, which reads the submissions again",
                    printable(result.student), result.language, asked, asked)};
  }
  return {};
}

int report_results(const fs::path& output, const std::string& language) {
  const ResultsFolder any(output, "");
  const ReadResults read = read_results(any);
  if (read.all.empty() && read.damaged.empty())
    return complain(Error{fmt::format("{} holds no results: name a folder that `warpgrade grade` "
                                      "wrote, which is results/SLUG where -o was left out",
                                      output.string())},
                    kUsage);
  for (const DamagedResult& each : read.damaged)
    fmt::print(stderr, "{} has no page: {}: grade the submission again\n",
               printable((output / "results" / (each.student + ".json")).string()),
               printable(each.why));
  if (read.all.empty()) return kNotAll;
  const ResultsFolder folder(output, read.all.front().assignment);
  if (const Status ours = folder.refuse_others(); !ours) return complain(ours.error(), kUsage);
  if (const Status same = require_language(language, read.all); !same)
    return complain(same.error(), kUsage);
  if (const Status written = write_pages(folder, read.all); !written)
    return complain(written.error(), kNotAll);
  fmt::print("{}: {}, and a page each in {}\n", printable((output / "index.html").string()),
             counted(static_cast<long>(read.all.size()), "student"),
             printable((output / "students").string()));
  return read.damaged.empty() ? kAllGood : kNotAll;
}

}  // namespace

void add_reports(CLI::App& app, Options& options) {
  CLI::App* command = app.add_subcommand("report", "Write the pages of graded results anew");
  command->footer(
      "Example:\n  warpgrade report results/lab1\n\nWrites DIR/index.html for the staff, and "
      "DIR/students/STUDENT.html and .txt to hand back, out of DIR/results. Grades nothing.\n"
      "Exit: 0 all written, 1 some results are damaged or a file could not be written, 2 usage.");
  const auto folder = std::make_shared<std::string>();
  command->add_option("DIR", *folder, "A folder that grade wrote")->required();
  command->callback(
      [folder, &options] { options.status = report_results(*folder, options.language); });
}

}  // namespace warpgrade
