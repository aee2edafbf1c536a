// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rubric/settings.h"

namespace warpgrade {

/// When an answer came, and what that costs.
struct Lateness {
  Moment due;  ///< With the student's extension.
  Moment submitted;
  std::string source;  ///< Where the time comes from: "file", "mtime", "lms" or "git".
  bool extended = false;
  long late_minutes = 0;  ///< Beyond due and grace, a begun one counts; 0: in time.
  double points_lost = 0;
  double undiminished_score = 0;

  bool operator==(const Lateness&) const = default;
};

/// What `policy` takes from a score for being handed in at `submitted`; nothing where no date is due.
std::optional<Lateness> judge_lateness(const LatePolicy& policy, std::string_view assignment,
                                       std::string_view student, const Moment& submitted,
                                       double score);

/// "Handed in 2026-10-06 10:00 +02:00, due ...: 10 h 1 min late, which costs 10 of 95 points", in the language.
std::string describe(const Lateness& late, const std::string& language);

}  // namespace warpgrade
