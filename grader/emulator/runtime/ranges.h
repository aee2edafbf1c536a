// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
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

/// The calling thread's.
Ranges& this_threads_ranges();

}  // namespace warpgrade::emulator
