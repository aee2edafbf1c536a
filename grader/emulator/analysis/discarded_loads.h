// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// A condition that a lane can look at when it loads: a predicate, or that a register of 32 bits is not 0.
struct LaneCondition {
  int reg = -1;  ///< index into Function::registers
  /// Instructions of the body that compute it, where it is set behind the load only.
  std::vector<size_t> before = {};

  auto operator<=>(const LaneCondition&) const = default;
};

/// Holds for lanes in which each condition has this value.
struct LaneValues {
  std::vector<std::pair<LaneCondition, bool>> all;
};

/// A load that the compiler lets all threads do although the source asks it of some: `first && s[0] > 0` becomes a load,
/// a comparison and an `and` of both conditions. What the others get reaches no memory, no branch and no other lane.
struct DiscardedLoad {
  size_t load = 0;                ///< index in the function's body
  std::vector<LaneValues> where;  ///< lanes for which one of these holds drop what they load
};

/// The loads that lanes drop, in the body's order.
std::vector<DiscardedLoad> discarded_loads(const ptx::Function& function);

}  // namespace warpgrade::emulator
