// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/exec/warp.h"

// What the control, synchronisation and warp ops do to the groups of a warp. The interpreter loop
// looks at Warp::signal after every instruction that can call one of these.

namespace warpgrade::emulator {

/// What bar.red computes over the predicates of its threads: Instruction::mode of a barrier.
enum Reduction : uint8_t { kReduceNone, kReduceAnd, kReduceOr, kReduceCount };

/// What a bra does beside branching: Instruction::mode of it.
enum BranchMode : uint8_t {
  kBranches,
  kLeavesLoop,  ///< Its lanes leave a loop to end: early_exit.h.
  kTurnsWaitingLoop,
};

/// The lanes in warp.mask go on at `target`, the others at the next instruction.
void branch(Warp& warp, uint32_t target);
/// The lanes in warp.mask enter `function`; the others go on at the next instruction.
void call_function(Warp& warp, const Instruction& instruction, const FunctionCode& function);
/// The lanes in warp.mask return from their function, or end where it is the kernel itself.
void return_from_function(Warp& warp);
/// The lanes in warp.mask end.
void end_lanes(Warp& warp);
/// The lanes in warp.mask wait at a barrier of their block; `expected` threads open it, 0 meaning
/// all.
void wait_at_barrier(Warp& warp, const Instruction& instruction, uint32_t barrier,
                     uint32_t expected);
/// The lanes in warp.mask count as arrived but do not wait.
void arrive_at_barrier(Warp& warp, uint32_t barrier, uint32_t expected);
/// True where `members` have not all come to this instruction: the lanes then wait, and run it
/// again later.
bool wait_for_members(Warp& warp, const Instruction& instruction, uint32_t members);
/// The same for bar.warp.sync, whose members may come to one in different places; those who meet
/// are then Warp::met.
bool meet_members(Warp& warp, const Instruction& instruction, uint32_t members);
/// The lanes in warp.mask wait for what other threads write: where no other lanes of the warp can
/// run, the block's other warps get their turn.
void give_way(Warp& warp);
/// Stops the launch.
void stop(Warp& warp);

/// Device functions that the CUDA toolkit leaves to the driver: vprintf, __assertfail. Null where
/// unknown.
using Builtin = void (*)(Warp&, const Instruction&);
Builtin builtin_named(std::string_view name);

}  // namespace warpgrade::emulator
