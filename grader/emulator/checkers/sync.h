// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "emulator/exec/warp.h"

// The sync checker: wrong uses of barriers and of the masks of warp instructions (PTX ISA 9.7.13).
// A barrier that threads skip which then end is no finding: a compiler makes the same code of it as
// of an early return, and since Volta ended threads are not waited for.

namespace warpgrade::emulator {

/// Reports the threads at barrier `number`, which opens now, that wait in other places than most of
/// them do, and warps of which a part is elsewhere.
void check_opening(Block& block, size_t number);

/// Reports a number of threads that bar.sync cannot wait for in a block of this size.
void check_barrier_count(Warp& warp, const Instruction& instruction, uint32_t expected);

/// Reports lanes that their own mask, `named[lane]`, does not name.
void check_own_mask(Warp& warp, const Instruction& instruction, const uint32_t* named);

/// Why a shuffle gets nothing from a lane.
enum class IdleLane : uint8_t {
  not_named,  ///< by the shuffle's mask
  ended,      ///< or went on without it
  no_thread,  ///< beyond the block's last thread
};
/// Reports that a lane uses what a shuffle got it from such a lane.
void report_idle_source(Warp& warp, const Instruction& shuffle, int lane, int source, IdleLane why);

/// Reports a group that goes on without the lanes that it waits for.
void report_members_missing(Warp& warp, const Group& group);

/// Reports that no thread of the block can ever go on, and where they all wait.
void report_deadlock(Block& block);

}  // namespace warpgrade::emulator
