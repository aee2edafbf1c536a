// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "base/result.h"

namespace warpgrade::emulator {

/// What the emulated device watches for. Findings carry these names.
struct Checkers {
  bool memory = false;   ///< out of bounds, misaligned, freed
  bool padding = false;  ///< accesses to the row padding of pitched memory; legal, so by name only
  bool init = false;     ///< reads of memory that nothing has written
  bool race = false;     ///< conflicting accesses that nothing orders
  bool sync = false;     ///< barriers, warp masks, deadlocks
  bool api = false;      ///< errors that nobody looked at, leaks
  bool fences = false;   ///< race wants a fence behind a relaxed read that is to order accesses

  bool operator==(const Checkers&) const = default;
};

/// All but padding and fences.
constexpr Checkers all_checkers() { return {true, false, true, true, true, true}; }

/// Reads "memory,race", "all", "all,padding" or "none"; the Error says what may be written.
Result<Checkers> parse_checkers(std::string_view list);

}  // namespace warpgrade::emulator
