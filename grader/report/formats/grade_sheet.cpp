// SPDX-License-Identifier: MIT
#include "report/formats/grade_sheet.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "report/csv.h"
#include "report/csv_cell.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

// It belongs to one submission rather than to the student.
constexpr const char* kAttachment = "attachment";

struct Columns {
  std::set<std::string> ids;       ///< Kinds.
  std::vector<std::string> items;  ///< In the order of first appearance.
};

Columns columns_of(const std::vector<SubmissionResult>& results) {
  Columns columns;
  for (const SubmissionResult& result : results) {
    for (const auto& [kind, id] : result.identity.ids) {
      if (kind != kAttachment) columns.ids.insert(kind);
    }
    for (const ItemResult& item : result.items) {
      std::vector<std::string>& known = columns.items;
      if (std::find(known.begin(), known.end(), item.id) == known.end()) known.push_back(item.id);
    }
  }
  return columns;
}

std::string standing(const SubmissionResult& result) {
  if (result.has_system_error()) return "not graded";
  return result.provisional ? "provisional" : "graded";
}

std::string row_of(const SubmissionResult& result, const std::string& student,
                   const Columns& columns) {
  // What is known of who handed in is not known of the other members.
  const bool is_own = student == result.student;
  std::vector<std::string> cells = {csv_cell(student),
                                    is_own ? csv_cell(result.identity.name) : ""};
  for (const std::string& kind : columns.ids) {
    const auto id = result.identity.ids.find(kind);
    cells.push_back(is_own && id != result.identity.ids.end() ? csv_cell(id->second) : "");
  }
  cells.push_back(result.has_system_error() ? "" : format_points(result.score));
  cells.push_back(format_points(result.max_score));
  cells.push_back(standing(result));
  cells.push_back(result.late ? format_points(result.late->points_lost) : "");
  for (const std::string& id : columns.items) cells.push_back(judged_points(result, id));
  return join(cells, ",") + '\n';
}

}  // namespace

std::string format_grade_sheet(const std::vector<SubmissionResult>& results) {
  const Columns columns = columns_of(results);
  std::vector<std::string> header = {"student", "name"};
  for (const std::string& kind : columns.ids) header.push_back(csv_cell(kind));
  for (const char* each : {"score", "max_score", "status", "late_points"})
    header.emplace_back(each);
  for (const std::string& id : columns.items) header.push_back(csv_cell(id));
  std::string out = join(header, ",") + '\n';
  for (const SubmissionResult& result : results) {
    out += row_of(result, result.student, columns);
    for (const std::string& member : result.identity.group) {
      if (member != result.student) out += row_of(result, member, columns);
    }
  }
  return out;
}

}  // namespace warpgrade
