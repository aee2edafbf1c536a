// SPDX-License-Identifier: MIT
#pragma once

#include "base/sentence.h"
#include "emulator/checkers/race_rules.h"
#include "emulator/checkers/watch.h"

// Findings of the init and race checkers in words.

namespace warpgrade::emulator {

struct LaunchContext;

/// `outcome.next`: the cell before the access, which was of `bytes` bytes at `address`.
void tell_race(Warp& warp, const Instruction& instruction, const WatchedPlace& place,
               uint64_t address, unsigned bytes, const Accessor& me, const Outcome& outcome,
               const Cell* cell);
void tell_unwritten(Warp& warp, const Instruction& instruction, const WatchedPlace& place,
                    uint64_t address, unsigned bytes, uint32_t thread);
void tell_unwritten_local(Warp& warp, const Instruction& instruction, unsigned bytes,
                          uint32_t thread);

/// What findings at one instruction are told apart by: the allocation or the shared array.
uint64_t object_of(const LaunchContext& launch, const WatchedPlace& place, uint64_t address);

/// "tile[4]", "element 3 of the 400-byte allocation made by cudaMalloc".
Sentence name_of(const LaunchContext& launch, const WatchedPlace& place, uint64_t address,
                 unsigned bytes);

}  // namespace warpgrade::emulator
