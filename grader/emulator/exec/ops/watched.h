// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/worker.h"

// The init and race checkers for a whole warp: whatever needs no thought is done here for all lanes
// at once, the rest lane by lane in checkers/watch.h.

namespace warpgrade::emulator::WARPGRADE_ISA {

/// The lanes in warp.mask access `bytes` bytes each at `base` + memo.relative[lane], all in one
/// allocation, or in shared memory where that is null. Before memory changes.
void watch_lanes(Warp& warp, const Instruction& instruction, AccessMemo& memo,
                 const Allocation* allocation, uint64_t base, unsigned bytes, bool write);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
