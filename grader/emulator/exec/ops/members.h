// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/checkers/sync.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/scheduling.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

/// The members that the first lane names in register `offset`. Lanes that name others, as the tiles
/// of a warp do, leave the instruction's mask and run it after these.
inline uint32_t named_members(Warp& warp, const Instruction& i, uint32_t offset) {
  const uint32_t* named = warp.reg<uint32_t>(offset);
  const uint32_t members = named[first_lane(warp.mask)];
  const uint32_t here = predicate_of([=](int lane) { return named[lane] == members; }) & warp.mask;
  if (here != warp.mask) {
    warp.mask &= ~here;
    branch(warp, i.pc);
    warp.mask = here;
  }
  // Who waited in vain has been checked before.
  if ((warp.mask & ~members) != 0 && !warp.forced) check_own_mask(warp, i, named);
  return members;
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
