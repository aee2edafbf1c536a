// SPDX-License-Identifier: MIT
#include "commands/export.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/text.h"
#include "commands/options.h"
#include "commands/stored_class.h"
#include "commands/version.h"
#include "course/handout.h"
#include "report/formats/github.h"
#include "report/formats/grade_sheet.h"
#include "report/formats/gradescope.h"
#include "report/formats/junit.h"
#include "report/formats/lms_sheet.h"
#include "report/formats/moodle_feedback.h"
#include "report/formats/sarif.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

constexpr size_t kMostSheetBytes = 64u << 20;

/// What `export` is asked.
struct ExportRequest {
  fs::path folder;
  std::string format;
  fs::path output;
  fs::path sheet;
  SheetRequest into;
  std::vector<std::string> students;
  bool for_students = false;
  GradescopeOptions gradescope;
  fs::path metadata;
};

using Results = std::vector<SubmissionResult>;

/// To the file, or to stdout where none is named.
Status write_out(const ExportRequest& request, const std::string& text) {
  if (!request.output.empty()) return RealFiles().write(request.output, text);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return is_written && std::fflush(stdout) == 0 ? Status() : Error{"cannot write to stdout"};
}

int finish(const ExportRequest& request, const std::string& text, int status = kAllGood) {
  const Status written = write_out(request, text);
  return written ? status : complain(written.error(), kNotAll);
}

int export_sheet(const ExportRequest& request, const Results& results) {
  if (request.sheet.empty())
    return complain({fmt::format("name the sheet that {} exported with --into: its rows and ids "
                                 "tell which score goes where",
                                 request.format)},
                    kUsage);
  const Result<std::string> bytes = RealFiles().read(request.sheet, kMostSheetBytes);
  if (!bytes) return complain(bytes.error(), kUsage);
  SheetRequest into = request.into;
  into.lms = request.format == "canvas" ? Lms::kCanvas : Lms::kMoodle;
  into.name = request.sheet.string();
  const Result<FilledSheet> filled = fill_sheet(*bytes, results, into);
  if (!filled) return complain(filled.error(), kUsage);
  for (const std::string& line : filled->notes) fmt::print(stderr, "{}\n", line);
  for (const std::string& line : filled->unplaced)
    fmt::print(stderr, "not in the sheet: {}\n", line);
  fmt::print(stderr, "{}\n", describe(*filled, into.name));
  return finish(request, filled->bytes, filled->unplaced.empty() ? kAllGood : kNotAll);
}

int export_gradescope(const ExportRequest& request, const Results& results) {
  if (results.size() != 1)
    return complain({fmt::format("results.json is of one student, and {} holds {}: name one with "
                                 "--student",
                                 request.folder.string(), results.size())},
                    kUsage);
  GradescopeOptions options = request.gradescope;
  if (!request.metadata.empty()) {
    const Result<std::string> metadata = RealFiles().read(request.metadata, kMostSheetBytes);
    if (!metadata) return complain(metadata.error(), kUsage);
    const Result<std::optional<double>> best = best_earlier_score(*metadata, results.front());
    if (!best)
      return complain({fmt::format("{}: {}", request.metadata.string(), best.error().message)},
                      kUsage);
    options.best = *best;
  }
  const Result<std::string> text = format_gradescope(results.front(), options);
  return text ? finish(request, *text) : complain(text.error(), kNotAll);
}

int export_feedback(const ExportRequest& request, const Results& results) {
  if (request.output.extension() != ".zip")
    return complain({"feedback for Moodle is an archive: name it with -o, such as -o feedback.zip"},
                    kUsage);
  const MoodleFeedback feedback = moodle_feedback(results, [&](const SubmissionResult& result) {
    return RealFiles().read(request.folder / "students" / (result.student + ".html"),
                            kMostSheetBytes);
  });
  for (const auto& [why, students] : feedback.left_out)
    fmt::print(stderr, "not in the archive: {}: {}\n", join(students, ", "), why);
  if (feedback.files.empty())
    return complain(
        {fmt::format("there is no page to hand back; {} was not written", request.output.string())},
        kNotAll);
  const Status written = write_zip(feedback.files, engine(), request.output, "");
  if (!written) return complain(written.error(), kNotAll);
  fmt::print(stderr,
             "{}: {}; in Moodle: View all submissions, Upload multiple feedback files in a zip\n",
             request.output.string(), counted(static_cast<long>(feedback.files.size()), "page"));
  return feedback.left_out.empty() ? kAllGood : kNotAll;
}

/// Those named by --student, or all.
Result<Results> choose_results(const ExportRequest& request, const StoredClass& stored) {
  if (request.students.empty()) return stored.results;
  Results chosen;
  for (const std::string& student : request.students) {
    const Result<SubmissionResult> found = find_student(stored, student);
    if (!found) return found.error();
    chosen.push_back(*found);
  }
  return chosen;
}

int export_results(const ExportRequest& request, const Results& results) {
  if (request.format == "canvas" || request.format == "moodle")
    return export_sheet(request, results);
  if (request.format == "gradescope") return export_gradescope(request, results);
  if (request.format == "moodle-feedback") return export_feedback(request, results);
  if (request.format == "csv") return finish(request, format_grade_sheet(results));
  if (request.format == "github") return finish(request, format_github_annotations(results));
  if (request.format == "github-summary") return finish(request, format_github_summary(results));
  Results shown = results;
  if (request.for_students) {
    for (SubmissionResult& each : shown) each = for_student(std::move(each));
  }
  return finish(request,
                request.format == "junit" ? format_junit(shown) : format_sarif(shown, version()));
}

int export_command(const ExportRequest& request) {
  const Result<StoredClass> stored = read_class(request.folder);
  if (!stored) return complain(stored.error(), kUsage);
  const Result<Results> results = choose_results(request, *stored);
  if (!results) return complain(results.error(), kUsage);
  const int status = export_results(request, *results);
  if (!request.students.empty() || stored->damaged.empty()) return status;
  for (const DamagedResult& each : stored->damaged)
    fmt::print(stderr, "left out: {}: {}. Grade the submission again\n", printable(each.student),
               printable(each.why));
  return std::max(status, kNotAll);
}

void add_sheet_options(CLI::App& command, ExportRequest& request) {
  command.add_option("--into", request.sheet,
                     "canvas, moodle: the sheet that the LMS exported. It stays as it is; -o or "
                     "stdout gets a copy with the scores");
  command.add_option("--column", request.into.column,
                     "canvas, moodle: header of the assignment's column, or the number in its "
                     "parentheses");
  command.add_flag("--scale", request.into.scale,
                   "canvas, moodle: convert to the points that the sheet gives");
}

void add_gradescope_options(CLI::App& command, ExportRequest& request) {
  command
      .add_option("--hidden-items", request.gradescope.hidden_items,
                  "gradescope: when students see items in which hidden cases take part")
      ->check(CLI::IsMember({"visible", "after_due_date", "after_published", "hidden"}))
      ->capture_default_str();
  command.add_flag("--leaderboard", request.gradescope.leaderboard,
                   "gradescope: score and speedups for the leaderboard");
  command.add_option(
      "--keep-best", request.metadata,
      "gradescope: submission_metadata.json, whose best earlier score counts where it "
      "is higher");
}

constexpr const char* kExamples =
    "Examples:\n"
    "  warpgrade export results/vecadd --format canvas --into gradebook.csv -o filled.csv\n"
    "  warpgrade export results/vecadd --format moodle --into worksheet.csv --column Grade -o "
    "filled.csv\n"
    "  warpgrade export results/vecadd --format moodle-feedback -o feedback.zip\n"
    "  warpgrade export results/vecadd --format gradescope --student ana -o results.json\n"
    "  warpgrade export results/vecadd --format github-summary >> \"$GITHUB_STEP_SUMMARY\"\n\n"
    "canvas, moodle, csv, junit and sarif are for the staff; moodle-feedback, gradescope, github "
    "and "
    "github-summary\nhold only what a student may read. A submission that could not be graded has "
    "no score "
    "anywhere.\n"
    "Exit: 0, 1 where it left a score out, 2 for a mistake in the command or "
    "the "
    "sheet.";

}  // namespace

void add_export(CLI::App& app, Options& options) {
  const auto request = std::make_shared<ExportRequest>();
  CLI::App* command =
      app.add_subcommand("export", "Write results for an LMS, a CI service or an editor");
  command->footer(kExamples);
  command->callback([&options, request] { options.status = export_command(*request); });
  command->add_option("DIR", request->folder, "A folder that grade wrote")->required();
  command
      ->add_option(
          "--format", request->format,
          "canvas, moodle: scores in the LMS's own sheet; moodle-feedback: the students' pages in "
          "a "
          "ZIP that Moodle takes; csv: a plain sheet; gradescope: "
          "results.json; junit: XML; github: annotations; github-summary: Markdown; sarif: "
          "findings")
      ->check(CLI::IsMember({"canvas", "moodle", "moodle-feedback", "csv", "gradescope", "junit",
                             "github", "github-summary", "sarif"}))
      ->required();
  command->add_option("-o,--output", request->output, "The file; stdout without it");
  command->add_option("--student", request->students, "Only this one's result; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--for-students", request->for_students,
                    "junit, sarif: only what the students may read");
  add_sheet_options(*command, *request);
  add_gradescope_options(*command, *request);
}

}  // namespace warpgrade
