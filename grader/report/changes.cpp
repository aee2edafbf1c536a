// SPDX-License-Identifier: MIT
#include "report/changes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/decisions.h"
#include "report/layout.h"
#include "report/text_report.h"

namespace warpgrade {
namespace {

const ItemResult* find(const SubmissionResult& result, const std::string& id) {
  const auto found = std::find_if(result.items.begin(), result.items.end(),
                                  [&](const ItemResult& item) { return item.id == id; });
  return found == result.items.end() ? nullptr : &*found;
}

std::string score_or_none(const SubmissionResult& result) {
  if (result.has_system_error()) return "none";
  return format_points(result.score) + (result.provisional ? "*" : "");
}

std::string points_or_state(const ItemResult& item) {
  if (item.status == Outcome::kSystemError) return "none";
  if (item.status == Outcome::kPending) return "waits";
  return format_points(item.points) + (item.provisional ? "*" : "");
}

std::string arrow(const std::string& before, const std::string& after) {
  return before == after ? after : fmt::format("{} -> {}", before, after);
}

/// The reason that explains the difference: why it is lost now, or why it was.
std::string reason_of(const ItemResult& before, const ItemResult& after) {
  const std::string now = after.message.substr(0, after.message.find('\n')),
                    then = before.message.substr(0, before.message.find('\n'));
  if (!now.empty() && now != then) return ": " + now;
  return then.empty() || after.status != Outcome::kPassed ? "" : ", was: " + then;
}

std::string item_line(const ItemResult* before, const ItemResult* after) {
  if (before == nullptr)
    return fmt::format("  {}: new, {} of {}", after->id, points_or_state(*after),
                       format_points(after->max_points));
  if (after == nullptr)
    return fmt::format("  {}: gone, was {} of {}", before->id, points_or_state(*before),
                       format_points(before->max_points));
  const std::string then = points_or_state(*before), now = points_or_state(*after),
                    most_then = format_points(before->max_points),
                    most = format_points(after->max_points);
  if (before->status == after->status && then == now && most_then == most) return "";
  const std::string moved = most_then == most
                                ? fmt::format("{} of {}", arrow(then, now), most)
                                : fmt::format("{} of {} -> {} of {}", then, most_then, now, most);
  return fmt::format("  {}: {}{}", after->id, moved, reason_of(*before, *after));
}

/// Whether a decision about the whole score moved it in `result` and not in `other`.
bool is_new_in(const SubmissionResult& other, const AppliedDecision& applied) {
  if (applied.before || applied.points_before == applied.points_after) return false;
  return std::none_of(other.decisions.begin(), other.decisions.end(),
                      [&](const AppliedDecision& each) {
                        return !each.before && each.decision == applied.decision;
                      });
}

/// A line for each decision about the whole score that is new or gone.
std::string decision_lines(const SubmissionResult& before, const SubmissionResult& after) {
  std::string lines;
  const auto add = [&lines](const std::string& line) {
    lines += shorten(printable(line), kReportColumns) + '\n';
  };
  for (const AppliedDecision& each : after.decisions) {
    if (is_new_in(before, each)) add("  score: " + describe(each, after.language));
  }
  for (const AppliedDecision& each : before.decisions) {
    if (is_new_in(after, each)) add("  score, gone: " + describe(each, before.language));
  }
  return lines;
}

/// What being late costs and cost, and the dates that say so now; empty where it is the same.
std::string late_line(const SubmissionResult& before, const SubmissionResult& after) {
  const double then = before.late ? before.late->points_lost : 0,
               now = after.late ? after.late->points_lost : 0;
  if (then == now) return "";
  return fmt::format("  late: costs {} points{}\n", arrow(format_points(then), format_points(now)),
                     after.late ? ": " + describe(*after.late, after.language) : "");
}

}  // namespace

std::string describe_change(const SubmissionResult& before, const SubmissionResult& after) {
  std::string items;
  const auto add = [&items](const std::string& line) {
    if (!line.empty()) items += shorten(printable(line), kReportColumns) + '\n';
  };
  for (const ItemResult& item : after.items) add(item_line(find(before, item.id), &item));
  for (const ItemResult& item : before.items) {
    if (find(after, item.id) == nullptr) add(item_line(&item, nullptr));
  }
  items += decision_lines(before, after);
  items += late_line(before, after);
  const std::string score = arrow(score_or_none(before), score_or_none(after));
  if (items.empty() && score == score_or_none(after)) return {};
  return fmt::format("{}: {} of {}\n{}", after.student, score, format_points(after.max_score),
                     items);
}

}  // namespace warpgrade
