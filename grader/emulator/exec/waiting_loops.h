// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "emulator/exec/warp.h"
#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// A loop that reads what other threads write and writes nothing itself but registers.
struct WaitingLoop {
  size_t branch = 0;           ///< The branch back, by its index in the function's body.
  std::vector<int> registers;  ///< All that a turn may write, by index into Function::registers.
  std::vector<size_t>
      looks;  ///< The loads of what others write, by index; an atomic may be a lock's.
};

/// The short loops of a function in which a thread may wait for memory: each holds a volatile, relaxed or acquiring
/// load or an atomic, and no store, call or barrier of the block. An atomic that changes memory also changes what
/// the next turn reads.
std::vector<WaitingLoop> waiting_loops(const ptx::Function& function);

/// The lanes in warp.mask take `branch` back to the head of a waiting loop. Where the last turn left the same values in the
/// loop's registers, other lanes of the warp soon get a turn; where all of its lanes wait, only another warp can end the wait,
/// and the warp's slice ends.
void note_turn(Warp& warp, const Instruction& branch);

/// A lane looks at memory in a waiting loop. Where other blocks wait too, the block's turn ends with the loop's turn: a GPU's
/// blocks all see a value before the first that saw it goes on to write the next.
void note_look(Warp& warp);

}  // namespace warpgrade::emulator
