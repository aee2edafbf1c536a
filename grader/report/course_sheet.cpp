// SPDX-License-Identifier: MIT
#include "report/course_sheet.h"

#include <map>

#include "base/text.h"
#include "report/csv_cell.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

/// What of a score no GPU changes any more. Lateness and decisions about the whole score are shared out evenly.
double final_score(const SubmissionResult& result) {
  if (!result.provisional) return result.score;
  double all = 0, sure = 0;
  for (const ItemResult& item : result.items) {
    const bool may_change = item.provisional || item.status == Outcome::kPending;
    all += item.points;
    sure += may_change ? 0 : item.points;
  }
  return all == 0 ? 0 : result.score * sure / all;
}

/// A student's row, as it grows from assignment to assignment.
struct Row {
  std::string name;
  std::vector<std::string> scores;
  double total = 0, total_final = 0;
  std::vector<std::string> missing, not_graded, provisional;
};

void add(const CourseColumn& column, const SubmissionResult* result, Row& row) {
  constexpr double kPercent = 100;
  row.scores.emplace_back();
  if (result == nullptr) {
    row.missing.push_back(column.slug);
    return;
  }
  if (row.name.empty()) row.name = result->identity.name;
  if (result->has_system_error()) {
    row.not_graded.push_back(column.slug);
    return;
  }
  row.scores.back() = format_points(result->score);
  if (result->provisional) row.provisional.push_back(column.slug);
  if (result->max_score <= 0) return;
  row.total += kPercent * column.weight * result->score / result->max_score;
  row.total_final += kPercent * column.weight * final_score(*result) / result->max_score;
}

}  // namespace

std::string format_course(const std::vector<CourseColumn>& columns,
                          const std::vector<Absentee>& absentees) {
  std::map<std::string, std::map<std::string, const SubmissionResult*>> students;
  std::map<std::string, std::string> names;
  for (const Absentee& each : absentees) {
    students[each.student];
    names[each.student] = each.name;
  }
  double weights = 0;
  std::vector<std::string> header = {"student", "name"};
  for (const CourseColumn& column : columns) {
    weights += column.weight;
    header.push_back(csv_cell(column.slug));
    for (const SubmissionResult& each : column.results) students[each.student][column.slug] = &each;
  }
  header.insert(header.end(), {"total", "total_final", "missing", "not_graded", "provisional"});
  std::string out = join(header, ",") + '\n';
  for (const auto& [student, results] : students) {
    Row row;
    row.name = names[student];
    for (const CourseColumn& column : columns) {
      const auto found = results.find(column.slug);
      add(column, found == results.end() ? nullptr : found->second, row);
    }
    std::vector<std::string> cells = {csv_cell(student), csv_cell(row.name)};
    cells.insert(cells.end(), row.scores.begin(), row.scores.end());
    for (const double sum : {row.total, row.total_final})
      cells.push_back(format_points(weights > 0 ? sum / weights : 0));
    for (const auto* names : {&row.missing, &row.not_graded, &row.provisional})
      cells.push_back(csv_cell(join(*names, " ")));
    out += join(cells, ",") + '\n';
  }
  return out;
}

}  // namespace warpgrade
