// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// A load that the compiler lets all threads do although the source asks it of some: `if (first && s[0] > 0)` becomes
/// a load, a comparison, an `or` of both conditions and one branch. What the others get reaches nothing.
struct DiscardedLoad {
  size_t load = 0;              ///< index in the function's body
  int predicate = -1;           ///< known before the load, by index into Function::registers
  bool discarded_where = true;  ///< lanes whose predicate has this value drop what they load
};

/// The loads of one element whose value goes through `setp` and `and.pred` or `or.pred` into one branch, or into one `selp`, and
/// nowhere else for lanes that another predicate has decided.
std::vector<DiscardedLoad> discarded_loads(const ptx::Function& function);

}  // namespace warpgrade::emulator
