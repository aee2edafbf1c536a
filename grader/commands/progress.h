// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"

namespace warpgrade {

/// Tells how far a class has come: on a terminal in one line that is written over, elsewhere in a line every
/// ten seconds or ten percent.
class ProgressDisplay {
 public:
  /// `columns`: of the terminal; none where nobody watches.
  ProgressDisplay(const Clock& clock, std::optional<size_t> columns, size_t all)
      : clock_(clock),
        columns_(columns),
        last_told_(clock.now()),
        all_(all),
        recent_{clock.now()} {}

  /// To be called before a submission.
  void before(const std::string& student) { under_way_.try_emplace(student, clock_.now()); }
  /// To be called after each submission. What to print now; often nothing.
  std::string after(const std::string& student, size_t done, size_t all);
  /// To be called now and then. Where nothing was printed for half a minute: which submission takes longest.
  std::string meanwhile();

  /// What to print before anything else is: it clears the terminal's line.
  std::string end();

 private:
  std::string rate_and_rest(size_t done, size_t all) const;
  std::string line(const std::string& words);

  const Clock& clock_;
  std::optional<size_t> columns_;
  std::chrono::milliseconds last_told_;
  size_t told_ = 0;
  size_t done_ = 0, all_ = 0;
  std::map<std::string, std::chrono::milliseconds> under_way_;  ///< since when, by student
  std::deque<std::chrono::milliseconds> recent_;  ///< When the last submissions were done.
  bool has_line_ = false;
};

/// Prints on stderr how far a class has come. All from any thread.
class LiveProgress {
 public:
  explicit LiveProgress(size_t all);
  ~LiveProgress();
  LiveProgress(const LiveProgress&) = delete;
  LiveProgress& operator=(const LiveProgress&) = delete;

  void before(const std::string& student);
  void after(const std::string& student, size_t done, size_t all);

 private:
  const RealClock clock_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  ProgressDisplay display_;
  std::jthread teller_;
};

/// What clears a terminal's line and begins it anew.
inline constexpr const char* kClearLine = "\r\x1b[K";

/// The line of a terminal that says which case runs, written over the line before.
std::string case_line(const std::string& case_id, size_t number, size_t all, size_t columns);

/// The width of the terminal that stderr is; none where it is none.
std::optional<size_t> progress_columns();

}  // namespace warpgrade
