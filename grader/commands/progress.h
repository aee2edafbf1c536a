// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/clock.h"

namespace warpgrade {

/// Tells how far a class has come: on a terminal in one line that is written over, elsewhere in a line every
/// ten seconds or ten percent.
class ProgressDisplay {
 public:
  /// `columns`: of the terminal; none where nobody watches.
  ProgressDisplay(const Clock& clock, std::optional<size_t> columns)
      : clock_(clock), columns_(columns), last_told_(clock.now()), recent_{clock.now()} {}

  /// To be called after each submission. What to print now; often nothing.
  std::string after(const std::string& student, size_t done, size_t all);

  /// What to print before anything else is: it clears the terminal's line.
  std::string end();

 private:
  std::string rate_and_rest(size_t done, size_t all) const;

  const Clock& clock_;
  std::optional<size_t> columns_;
  std::chrono::milliseconds last_told_;
  size_t told_ = 0;
  std::deque<std::chrono::milliseconds> recent_;  ///< When the last submissions were done.
  bool has_line_ = false;
};

/// What clears a terminal's line and begins it anew.
inline constexpr const char* kClearLine = "\r\x1b[K";

/// The line of a terminal that says which case runs, written over the line before.
std::string case_line(const std::string& case_id, size_t number, size_t all, size_t columns);

/// The width of the terminal that stderr is; none where it is none.
std::optional<size_t> progress_columns();

}  // namespace warpgrade
