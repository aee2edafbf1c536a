// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/exec/program.h"
#include "emulator/model/op_costs.h"

namespace warpgrade::emulator {

/// A run of instructions that is entered at its first only.
struct BasicBlock {
  uint32_t first = 0, end = 0;
  WarpPath path;  ///< of one run through it, its loop having turned before
};

/// What is known of a program before it runs. The order of machine instructions is ptxas's; here
/// those of a basic block start as soon as what they read is there.
struct CostProfile {
  std::vector<OpCost> costs;  ///< one per instruction
  std::vector<BasicBlock> blocks;
};

CostProfile make_cost_profile(const Program& program);

}  // namespace warpgrade::emulator
