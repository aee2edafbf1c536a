// SPDX-License-Identifier: MIT
#include "report/decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "report/csv_rows.h"
#include "report/fault.h"
#include "report/text_report.h"
#include "sentences/ids.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr std::array kColumns = {"student", "item", "points", "note", "by", "date"};
enum Column { kStudent, kItem, kPoints, kNote, kBy, kDate };

/// Where each column stands in the rows; nothing where one is missing.
using Places = std::array<size_t, kColumns.size()>;

Result<Places> find_columns(const std::vector<CsvRow>& rows, std::string_view name) {
  Places places{};
  const std::vector<std::string> header = rows.empty() ? std::vector<std::string>() : rows[0].cells;
  for (size_t i = 0; i < kColumns.size(); ++i) {
    const auto found = std::find(header.begin(), header.end(), kColumns[i]);
    if (found == header.end())
      return Error{fmt::format("{}:1: the column '{}' is missing; the first line must be {}", name,
                               kColumns[i], fmt::join(kColumns, ","))};
    places[i] = static_cast<size_t>(found - header.begin());
  }
  return places;
}

/// A number with or without a sign, and nothing else.
std::optional<double> parse_points(std::string_view text) {
  double number = 0;
  const bool has_plus = text.starts_with('+');
  if (has_plus) text.remove_prefix(1);
  const bool has_digit = !text.empty() && (has_plus ? text[0] != '-' : true);
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole =
      failed == std::errc() && end == text.data() + text.size() && std::isfinite(number);
  return has_digit && is_whole ? std::optional(number) : std::nullopt;
}

std::string suggest(const std::string& word, const std::vector<std::string>& known,
                    const std::string& otherwise) {
  const std::string meant = nearest(word, known);
  return meant.empty() ? otherwise : fmt::format("did you mean '{}'?", meant);
}

std::vector<std::string> item_ids(const Rubric& rubric) {
  std::vector<std::string> ids;
  for (const Item& item : rubric.items) ids.push_back(item.id);
  return ids;
}

double most_points(const Decidable& about, const std::string& item) {
  double sum = 0;
  for (const Item& each : about.rubric.items) {
    if (item.empty() || each.id == item) sum += each.points;
  }
  return sum;
}

/// What is wrong with the cell `points`, of which `decision` takes the meaning; empty where nothing is.
std::string read_points(const std::string& cell, double most, Decision& decision) {
  if (cell.empty()) return {};
  if (cell == "final") {
    decision.kind = DecisionKind::kFinal;
    return {};
  }
  const std::optional<double> points = parse_points(cell);
  if (!points)
    return fmt::format(
        "'{}' are no points: write a number (8), a change (+2 or -1.5), final, or nothing for a "
        "note",
        printable(cell));
  decision.kind = cell[0] == '+' || cell[0] == '-' ? DecisionKind::kAdd : DecisionKind::kSet;
  decision.points = *points;
  if (std::abs(*points) <= most) return {};
  return fmt::format(
      "{} is worth {} points, and {} is more; write at most {}",
      decision.item.empty() ? "the assignment" : fmt::format("item '{}'", decision.item),
      format_points(most), printable(cell), format_points(most));
}

bool is_in(const std::vector<std::string>& all, const std::string& word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

/// What is wrong with the name of a group; empty where nothing is.
std::string wrong_with(const ItemFault& fault, const Rubric& rubric) {
  const std::vector<std::string> reasons = sentence_ids();
  std::vector<std::string> cases;
  for (const Case& each : rubric.cases) cases.push_back(each.id);
  if (!is_in(reasons, fault.reason_id))
    return fmt::format("no reason is called '{}'; {}", printable(fault.reason_id),
                       suggest(fault.reason_id, reasons, "copy the group's name from index.html"));
  if (fault.case_id.empty() || is_in(cases, fault.case_id)) return {};
  return fmt::format("{} has no case '{}'; {}", rubric.assignment, printable(fault.case_id),
                     suggest(fault.case_id, cases, "copy the group's name from index.html"));
}

/// Replaces a name or an id of the LMS by the student's id. Returns a complaint, which is empty where one student is meant.
std::string find_student(const Decidable& about, std::string& student) {
  if (is_in(about.students, student)) return {};
  const auto found = about.find ? about.find(student) : std::vector<std::string>();
  if (found.size() > 1)
    return fmt::format("'{}' may be {}; write one of these", printable(student),
                       join(found, " or "));
  if (found.empty())
    return fmt::format(
        "no submission is called '{}'; {}", printable(student),
        suggest(student, about.students, "write the name of the student's file in results/"));
  student = found[0];
  return {};
}

/// What is wrong with a row, of which `decision` takes the meaning; empty where nothing is.
std::string read_row(const CsvRow& row, const Places& places, const Decidable& about,
                     Decision& decision) {
  const auto cell = [&](Column column) {
    return places[column] < row.cells.size() ? row.cells[places[column]] : std::string();
  };
  decision = {cell(kStudent), cell(kItem), {}, 0, cell(kNote), cell(kBy), cell(kDate)};
  const std::vector<std::string> items = item_ids(about.rubric);
  const std::optional<ItemFault> fault = parse_group_id(decision.student);
  if (fault) {
    decision.group = std::exchange(decision.student, "");
    if (std::string wrong = wrong_with(*fault, about.rubric); !wrong.empty()) return wrong;
  } else if (std::string wrong = find_student(about, decision.student); !wrong.empty()) {
    return wrong;
  }
  if (!decision.item.empty() && !is_in(items, decision.item))
    return fmt::format(
        "{} has no item '{}'; {}", about.rubric.assignment, printable(decision.item),
        suggest(decision.item, items,
                "its items are " + join(items, ", ") + "; leave it empty for the whole score"));
  const std::string wrong = read_points(cell(kPoints), most_points(about, decision.item), decision);
  if (!wrong.empty()) return wrong;
  if (fault && decision.item.empty() && decision.kind != DecisionKind::kNote)
    return "points for a group need the item that it lost: write it in the column 'item'";
  if (decision.by.empty()) return "nobody decided this: write who did in the column 'by'";
  return decision.note.empty() ? "a reason is missing: write it in the column 'note'" : "";
}

double clamped(const Decision& decision, double points, double most) {
  switch (decision.kind) {
    case DecisionKind::kSet:
      return std::clamp(decision.points, 0.0, most);
    case DecisionKind::kAdd:
      return std::clamp(points + decision.points, 0.0, most);
    case DecisionKind::kNote:
    case DecisionKind::kFinal:
      return points;
  }
  return points;
}

Sentence sentence_of(const AppliedDecision& applied, const std::string& language) {
  const Decision& decision = applied.decision;
  const std::string who =
      decision.date.empty() ? decision.by : fmt::format("{}, {}", decision.by, decision.date);
  switch (decision.kind) {
    case DecisionKind::kNote:
      return say_in(language, "decision.note", {{"who", who}, {"note", decision.note}});
    case DecisionKind::kFinal:
      return say_in(language, "decision.final", {{"who", who}, {"note", decision.note}});
    case DecisionKind::kSet:
    case DecisionKind::kAdd:
      return say_in(language, "decision.points",
                    {{"who", who},
                     {"after", format_points(applied.points_after)},
                     {"before", format_points(applied.points_before)},
                     {"note", decision.note}});
  }
  return {};
}

void set_points(ItemResult& item, double points) {
  item.points = points;
  item.status = points >= item.max_points ? Outcome::kPassed
                : points > 0              ? Outcome::kPartial
                                          : Outcome::kFailed;
  item.provisional = item.undecided = false;
  item.cause.clear();
}

void decide_item(ItemResult& item, AppliedDecision& applied, const std::string& language) {
  const Decision& decision = applied.decision;
  applied.before = item;
  applied.points_before = item.points;
  applied.points_after = clamped(decision, item.points, item.max_points);
  if (decision.kind == DecisionKind::kSet || decision.kind == DecisionKind::kAdd)
    set_points(item, applied.points_after);
  // What waits has no points that could be final.
  if (decision.kind == DecisionKind::kFinal) item.provisional = false;
  const std::string said = sentence_of(applied, language).text;
  item.message = item.message.empty() ? said : said + '\n' + item.message;
  item.student_message = item.student_message.empty() ? said : said + '\n' + item.student_message;
}

/// Takes back what the decisions in `result` did, the last one first.
void restore(SubmissionResult& result) {
  for (auto each = result.decisions.rbegin(); each != result.decisions.rend(); ++each) {
    for (ItemResult& item : result.items) {
      if (each->before && item.id == each->before->id) item = *each->before;
    }
  }
  result.decisions.clear();
}

/// Whether the decision is about the student: it names no group, or one whose fault the student has in the item, or in
/// any item where it names none.
bool concerns(const Decision& decision, const SubmissionResult& result) {
  const std::optional<ItemFault> fault = parse_group_id(decision.group);
  return !fault || std::any_of(result.items.begin(), result.items.end(), [&](const auto& item) {
    const std::optional<ItemFault> own = fault_of(item);
    return (decision.item.empty() || decision.item == item.id) && own && fault->covers(*own);
  });
}

/// Those that concern the result as the grader judged it.
std::vector<Decision> about_student(const SubmissionResult& result,
                                    const std::vector<Decision>& decisions) {
  std::vector<Decision> found;
  std::copy_if(decisions.begin(), decisions.end(), std::back_inserter(found),
               [&](const Decision& each) { return concerns(each, result); });
  return found;
}

void sum_up(SubmissionResult& result) {
  result.late.reset();
  result.score = 0;
  result.provisional = false;
  for (const ItemResult& item : result.items) {
    result.score += item.points;
    result.provisional = result.provisional || item.provisional || item.status == Outcome::kPending;
  }
}

}  // namespace

std::string_view to_string(DecisionKind kind) {
  switch (kind) {
    case DecisionKind::kNote:
      return "note";
    case DecisionKind::kSet:
      return "set";
    case DecisionKind::kAdd:
      return "add";
    case DecisionKind::kFinal:
      return "final";
  }
  return "";
}

Result<Decisions> parse_decisions(std::string_view csv, std::string_view name,
                                  const Decidable& about) {
  if (!is_utf8(csv)) return Error{fmt::format("{} is not UTF-8: save it as \"CSV UTF-8\"", name)};
  const std::vector<CsvRow> rows = read_csv_rows(csv);
  const Result<Places> places = find_columns(rows, name);
  if (!places) return places.error();
  Decisions decisions;
  std::vector<std::string> mistakes;
  for (size_t i = 1; i < rows.size(); ++i) {
    Decision decision;
    const std::string wrong = read_row(rows[i], *places, about, decision);
    if (!wrong.empty()) {
      mistakes.push_back(fmt::format("{}:{}: {}", name, rows[i].line, wrong));
    } else {
      const std::string& whose = decision.group.empty() ? decision.student : decision.group;
      decisions[whose].push_back(std::move(decision));
    }
  }
  if (!mistakes.empty()) return Error{join(mistakes, "\n")};
  return decisions;
}

std::vector<Decision> decisions_for(const Decisions& decisions, const std::string& student) {
  std::vector<Decision> all;
  for (const auto& [whose, lines] : decisions) {
    if (parse_group_id(whose)) all.insert(all.end(), lines.begin(), lines.end());
  }
  const auto own = decisions.find(student);
  if (own != decisions.end()) all.insert(all.end(), own->second.begin(), own->second.end());
  return all;
}

void apply_decisions(SubmissionResult& result, const std::vector<Decision>& decisions) {
  if (result.decisions.empty() && decisions.empty()) return;
  restore(result);
  std::vector<AppliedDecision> whole;
  for (Decision decision : about_student(result, decisions)) {
    decision.student = result.student;
    AppliedDecision applied{decision, {}, 0, 0};
    for (ItemResult& item : result.items) {
      const bool is_meant =
          item.id == decision.item ||
          (decision.item.empty() && decision.kind == DecisionKind::kFinal && item.provisional);
      if (!is_meant) continue;
      decide_item(item, applied, result.language);
      result.decisions.push_back(applied);
    }
    if (decision.item.empty() && decision.kind != DecisionKind::kFinal) whole.push_back(applied);
  }
  sum_up(result);
  for (AppliedDecision& applied : whole) {
    applied.points_before = result.score;
    result.score = applied.points_after = clamped(applied.decision, result.score, result.max_score);
    result.decisions.push_back(applied);
  }
}

std::string describe(const AppliedDecision& applied, const std::string& language) {
  return sentence_of(applied, language).text;
}

}  // namespace warpgrade
