// SPDX-License-Identifier: MIT
#include "score/late.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr long kMinuteSeconds = 60;
constexpr long kHourMinutes = 60;
constexpr long kDayMinutes = 24 * kHourMinutes;

/// The latest of the common date and the student's own ones.
Moment due_of(const LatePolicy& policy, std::string_view assignment, std::string_view student) {
  Moment due = *policy.due;
  for (const Extension& each : policy.extensions) {
    const bool is_meant =
        each.student == student && (each.assignment.empty() || each.assignment == assignment);
    if (!is_meant) continue;
    const long days_later = policy.due->seconds + each.days * kDayMinutes * kMinuteSeconds;
    const Moment own = each.until.value_or(Moment{days_later, policy.due->offset_minutes});
    if (own.seconds > due.seconds) due = own;
  }
  return due;
}

double lost_of(const LatePolicy& policy, long late_minutes, double score) {
  if (late_minutes == 0) return 0;
  const double days = static_cast<double>(late_minutes) / kDayMinutes;
  const double lost =
      policy.curve ? score * (1 - policy.curve->at(days)) : policy.points_per_day * std::ceil(days);
  return std::clamp(lost, 0.0, score);
}

}  // namespace

std::optional<Lateness> judge_lateness(const LatePolicy& policy, std::string_view assignment,
                                       std::string_view student, const Moment& submitted,
                                       double score) {
  if (!policy.due) return std::nullopt;
  Lateness late;
  late.due = due_of(policy, assignment, student);
  late.extended = late.due.seconds != policy.due->seconds;
  late.submitted = submitted;
  late.undiminished_score = score;
  const long seconds = submitted.seconds - late.due.seconds - policy.grace_minutes * kMinuteSeconds;
  late.late_minutes = seconds <= 0 ? 0 : (seconds + kMinuteSeconds - 1) / kMinuteSeconds;
  late.points_lost = lost_of(policy, late.late_minutes, score);
  return late;
}

std::string describe(const Lateness& late, const std::string& language) {
  const Words words(language);
  const std::string submitted = late.submitted.format(), due = late.due.format(),
                    extended = late.extended ? words("late.extended") : "";
  if (late.late_minutes == 0)
    return words("late.in_time", {{"submitted", submitted}, {"due", due}, {"extended", extended}});
  const long days = late.late_minutes / kDayMinutes, rest = late.late_minutes % kDayMinutes;
  const long hours = rest / kHourMinutes, minutes = rest % kHourMinutes;
  const std::string time =
      days > 0 ? words("late.days", {{"days", days}, {"hours", hours}, {"minutes", minutes}})
               : words("late.hours", {{"hours", hours}, {"minutes", minutes}});
  return words("late.late", {{"submitted", submitted},
                             {"due", due},
                             {"extended", extended},
                             {"time", time},
                             {"lost", fmt::format("{:.4g}", late.points_lost)},
                             {"most", fmt::format("{:.4g}", late.undiminished_score)}});
}

}  // namespace warpgrade
