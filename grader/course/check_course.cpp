// SPDX-License-Identifier: MIT
#include "course/check_course.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

constexpr const char* kReference = "(reference)";
constexpr const char* kSkeleton = "(skeleton)";

/// Ids in `all` that are not in `taken`.
std::vector<std::string> difference(std::vector<std::string> all,
                                    const std::vector<std::string>& taken) {
  const auto known = [&](const std::string& id) {
    return std::find(taken.begin(), taken.end(), id) != taken.end();
  };
  all.erase(std::remove_if(all.begin(), all.end(), known), all.end());
  return all;
}

/// Our own two, then the class.
Result<std::vector<Submission>> course_submissions(const Paths& paths, const Rubric& rubric) {
  const RealFiles files;
  std::vector<Submission> submissions(2);
  submissions[0].student = kReference;
  submissions[0].path = paths.reference(rubric.assignment) / rubric.submission;
  submissions[1].student = kSkeleton;
  submissions[1].path = paths.skeleton(rubric.assignment) / rubric.submission;
  for (Submission& submission : submissions) {
    const Result<std::string> source = files.read(submission.path);
    if (!source) return source.error();
    submission.source = *source;
  }
  const fs::path folder = paths.reference(rubric.assignment) / "class";
  if (!files.is_folder(folder)) return submissions;
  const Result<Submissions> sample = read_submissions(files, folder, rubric.submission);
  if (!sample) return sample.error();
  submissions.insert(submissions.end(), sample->all.begin(), sample->all.end());
  return submissions;
}

std::vector<std::string> lost_items(const SubmissionResult& result) {
  std::vector<std::string> lost;
  for (const ItemResult& item : result.items) {
    if (item.status != Outcome::kPassed) lost.push_back(item.id);
  }
  return lost;
}

std::string complaint_about(const CourseRow& row, const SubmissionResult& result) {
  if (result.has_system_error()) return "could not be graded";
  if (row.name == kReference) {
    return row.lost.empty()
               ? ""
               : fmt::format("must pass everything, but loses {}", join(row.lost, ", "));
  }
  if (row.name == kSkeleton)
    return row.score == 0 ? ""
                          : fmt::format("must score 0, but scores {}", format_points(row.score));
  return compare_losses(row.lost, row.should_lose);
}

Result<CourseRow> make_row(const Submission& submission, const SubmissionResult& result) {
  CourseRow row{submission.student, result.score, result.max_score, lost_items(result), {}, ""};
  if (row.name != kReference && row.name != kSkeleton) {
    const Result<std::string> loses = RealFiles().read(submission.path.parent_path() / "loses.txt");
    if (!loses) return loses.error();
    row.should_lose = parse_loses(*loses);
  }
  row.complaint = complaint_about(row, result);
  return row;
}

}  // namespace

std::vector<std::string> parse_loses(std::string_view text) {
  std::vector<std::string> ids;
  for (const std::string& line : split(text, '\n')) {
    const std::string id(trim(line.substr(0, line.find('#'))));
    if (!id.empty()) ids.push_back(id);
  }
  return ids;
}

std::string compare_losses(const std::vector<std::string>& lost,
                           const std::vector<std::string>& should_lose) {
  const std::vector<std::string> unexpected = difference(lost, should_lose),
                                 missed = difference(should_lose, lost);
  std::vector<std::string> parts;
  if (!unexpected.empty()) parts.push_back("loses " + join(unexpected, ", "));
  if (!missed.empty()) parts.push_back("does not lose " + join(missed, ", "));
  return join(parts, "; ");
}

Result<std::vector<CourseRow>> check_course(const Installation& installation, const Rubric& rubric,
                                            int jobs) {
  const Result<std::vector<Submission>> submissions =
      course_submissions(installation.paths, rubric);
  if (!submissions) return submissions.error();
  const Result<std::vector<SubmissionResult>> results =
      grade_all(installation, rubric, *submissions, jobs, fresh_seed());
  if (!results) return results.error();
  std::vector<CourseRow> rows;
  for (size_t i = 0; i < results->size(); ++i) {
    Result<CourseRow> row = make_row((*submissions)[i], (*results)[i]);
    if (!row) return row.error();
    rows.push_back(std::move(*row));
  }
  return rows;
}

std::string format_course(const std::string& slug, const std::vector<CourseRow>& rows) {
  size_t width = 0;
  for (const CourseRow& row : rows) width = std::max(width, row.name.size());
  std::string text;
  long wrong = 0;
  for (const CourseRow& row : rows) {
    wrong += !row.ok();
    text += fmt::format("{:<{}}  {:>5} of {}  {}\n", row.name, width, format_points(row.score),
                        format_points(row.max_score),
                        row.ok() ? "as it should" : "WRONG: " + row.complaint);
  }
  return text + fmt::format("{}: {}, {} not as it should be\n", slug,
                            counted(static_cast<long>(rows.size()), "submission"), wrong);
}

}  // namespace warpgrade
