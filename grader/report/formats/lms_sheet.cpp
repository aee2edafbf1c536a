// SPDX-License-Identifier: MIT
#include "report/formats/lms_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "report/formats/sheet_layout.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

/// A number with a point or a comma; nothing for any other text.
std::optional<double> number_of(std::string_view text) {
  std::string plain(trim(text));
  std::replace(plain.begin(), plain.end(), ',', '.');
  char* end = nullptr;
  const double value = std::strtod(plain.c_str(), &end);
  if (plain.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Whether the sheet writes "87,50", as a semicolon between cells allows.
bool has_decimal_commas(const Sheet& sheet) {
  if (sheet.separator() == ',') return false;
  for (size_t row = 1; row < sheet.rows().size(); ++row) {
    for (const SheetCell& cell : sheet.rows()[row]) {
      if (cell.text.find(',') != std::string::npos && number_of(cell.text)) return true;
    }
  }
  return false;
}

/// Fills the cells of one column.
class ColumnFilling {
 public:
  ColumnFilling(Sheet& sheet, const SheetLayout& layout, size_t column, const SheetRequest& request)
      : sheet_(sheet),
        layout_(layout),
        column_(column),
        request_(request),
        commas_(has_decimal_commas(sheet)) {}

  Status run(const std::vector<SubmissionResult>& results, const StudentMatch& match);
  FilledSheet filled;

 private:
  /// How much the cell may take; nothing where the sheet does not say.
  std::optional<double> points_of(const SheetPerson& person) const;
  Status put(const SheetPerson& person, const SubmissionResult& result);

  Sheet& sheet_;
  const SheetLayout& layout_;
  const size_t column_;
  const SheetRequest& request_;
  const bool commas_;
};

std::optional<double> ColumnFilling::points_of(const SheetPerson& person) const {
  if (layout_.points_row) return number_of(sheet_.text(*layout_.points_row, column_));
  if (layout_.points_column) return number_of(sheet_.text(person.row, *layout_.points_column));
  return std::nullopt;
}

Status ColumnFilling::put(const SheetPerson& person, const SubmissionResult& result) {
  const std::string who = printable(result.student);
  if (result.has_system_error()) {
    filled.unplaced.push_back(who + ": could not be graded, which is no 0");
    return {};
  }
  const std::optional<double> points = points_of(person);
  const bool differs = points && result.max_score > 0 && *points != result.max_score;
  if (differs && !request_.scale)
    return Error{fmt::format(
        "{} gives {} points for '{}', and the rubric {}: set {} points in the LMS and export the "
        "sheet again, or let --scale convert the scores",
        request_.name, format_points(*points), filled.column, format_points(result.max_score),
        format_points(result.max_score))};
  const double score = differs ? result.score / result.max_score * *points : result.score;
  std::string text = format_points(score);
  if (commas_) std::replace(text.begin(), text.end(), '.', ',');
  const std::string before(trim(sheet_.text(person.row, column_)));
  if (before == "EX") {
    filled.unplaced.push_back(who + ": excused in the sheet (EX), which stays");
    return {};
  }
  if (!sheet_.fill(person.row, column_, text)) {
    filled.unplaced.push_back(
        fmt::format("{}: row {} ends before the column", who, person.row + 1));
    return {};
  }
  ++filled.filled;
  const std::optional<double> known = number_of(before);
  if (!before.empty() && before != "-" && (!known || std::abs(*known - score) > 0.005))
    filled.notes.push_back(fmt::format("{}: {} replaces {}", who, text, printable(before)));
  if (result.provisional) filled.notes.push_back(fmt::format("{}: {} is provisional", who, text));
  return {};
}

Status ColumnFilling::run(const std::vector<SubmissionResult>& results, const StudentMatch& match) {
  filled.column = printable(trim(sheet_.text(0, column_)));
  for (size_t i = 0; i < layout_.people.size(); ++i) {
    const SheetPerson& person = layout_.people[i];
    const auto found = match.result_of.find(i);
    if (found == match.result_of.end()) {
      filled.notes.push_back(
          fmt::format("row {}, {}: no result", person.row + 1, printable(person.name)));
      continue;
    }
    if (Status put_in = put(person, results[found->second]); !put_in) return put_in;
  }
  for (const std::string& line : match.ambiguous) filled.unplaced.push_back(line);
  for (const std::string& student : match.without_row)
    filled.unplaced.push_back(printable(student) + ": no row");
  return {};
}

}  // namespace

std::string describe(const FilledSheet& filled, const std::string& name) {
  const std::string others =
      filled.unplaced.empty()
          ? "every result is in the sheet"
          : counted(static_cast<long>(filled.unplaced.size()), "result") + " not in the sheet";
  return fmt::format("{}: {} in the column '{}'; {}", name,
                     counted(static_cast<long>(filled.filled), "score"), filled.column, others);
}

Result<FilledSheet> fill_sheet(const std::string& bytes,
                               const std::vector<SubmissionResult>& results,
                               const SheetRequest& request) {
  Result<Sheet> sheet = Sheet::parse(bytes, request.name);
  if (!sheet) return sheet.error();
  const Result<SheetLayout> layout = lay_out(*sheet, request);
  if (!layout) return layout.error();
  const Result<size_t> column = choose_column(*sheet, *layout, request);
  if (!column) return column.error();
  const StudentMatch match =
      match_students(results, layout->people, request.lms == Lms::kCanvas ? "canvas" : "moodle");
  ColumnFilling filling(*sheet, *layout, *column, request);
  if (Status done = filling.run(results, match); !done) return done.error();
  filling.filled.bytes = sheet->bytes();
  return std::move(filling.filled);
}

}  // namespace warpgrade
