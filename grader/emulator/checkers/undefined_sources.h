// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "emulator/checkers/watch.h"

// Where undefined values come from; undefined.h says how a warp's are followed from there.

namespace warpgrade::emulator {

/// Notes that a lane has loaded `bytes` bytes at `address` into its register for an element, which
/// nothing has written. False where that is to be told at once.
bool follow_unwritten(Warp& warp, const Instruction& instruction, int lane, unsigned element,
                      const WatchedPlace& place, uint64_t address, unsigned bytes);
/// The same for all registers of a fetch, which reads the `bytes` bytes at the place.
bool follow_unwritten_texel(Warp& warp, const Instruction& instruction, int lane,
                            const WatchedPlace& place, unsigned bytes);
/// The same for all elements of a load from local memory.
bool follow_unwritten_local(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                            unsigned bytes);
/// Notes that a lane gets by a shuffle among `members` a value of a lane that takes no part in it.
void follow_idle_source(Warp& warp, const Instruction& instruction, int lane, int source,
                        uint32_t members);

}  // namespace warpgrade::emulator
