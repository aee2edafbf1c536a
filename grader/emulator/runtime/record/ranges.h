// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::emulator {

/// The NVTX ranges that one thread has open. A range that another thread started is not seen.
class Ranges {
 public:
  /// Both return the nesting depth of the range, counted from 0, as NVTX's functions do; pop()
  /// returns -2 where none is open.
  int push(std::string name);
  int pop();

  void start(uint64_t id, std::string name);
  void end(uint64_t id);

  /// Name of the range opened last, or "".
  const std::string& innermost() const;

  /// Name of the range opened first that is still open; nullptr where none is.
  const std::string* outermost() const;

  /// Name of the range opened first, of those whose name does not begin with `prefix`; null where none
  /// is open.
  const std::string* outermost_but(std::string_view prefix) const;

 private:
  struct Open {
    uint64_t id;  ///< 0 for a pushed range.
    std::string name;
  };
  std::vector<Open> open_;
};

/// The calling thread's; the device has one thread for each of the program's.
Ranges& this_threads_ranges();

/// The ranges of the NVTX domain "warpgrade", by which a grader's driver names what it calls. They
/// hold for all threads. The program's own ranges neither hide nor end them.
class GradersRanges {
 public:
  /// Somebody makes the domain.
  void make() { ++made_; }
  bool is_made() const { return made_ > 0; }
  /// Anybody but the driver has.
  bool made_again() const { return made_ > 1; }

  /// As those of Ranges.
  int push(std::string name);
  int pop();
  std::string innermost() const;
  std::optional<std::string> outermost() const;

 private:
  mutable std::mutex mutex_;
  Ranges ranges_;
  std::atomic<int> made_{0};
};

GradersRanges& graders_ranges();

/// The range that a call of this thread belongs to, or "": the grader's innermost; outside of them
/// that of the thread, unless the program is graded.
std::string range_of_call(bool is_graded);

}  // namespace warpgrade::emulator
