// SPDX-License-Identifier: MIT

#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

// Theory of operation. One loop runs the chosen group of lanes, instruction by instruction; each
// instruction is one handler with a short loop over 32 lanes. Straight-line code needs no
// scheduling at all. Only after a control instruction, or before an instruction where another group
// may wait, does the loop look at the groups: the deepest call first, then the lowest place
// (block_order.h), so that the branches of a divergent `if` meet again at its end.
RunEnd run_warp(Warp& warp) {
  ExecutionCount* const counts = warp.worker->counts.data();
  if (!choose_group(warp)) return RunEnd::blocked;
  while (true) {
    const Instruction& i = warp.code[warp.pc];
    ++warp.pc;
    ++warp.executed;
    uint32_t mask = warp.active;
    if (i.guard != kNoRegister) {
      const uint32_t holds = warp.predicate(i.guard);
      mask &= (i.flags & Instruction::kGuardNegated) != 0 ? ~holds : holds;
    }
    ExecutionCount& count = counts[i.pc];
    ++count.warps;
    count.lanes += static_cast<uint64_t>(std::popcount(mask));
    if (mask != 0) {
      warp.mask = mask;
      i.run(warp, i);
    }
    if ((i.flags & (Instruction::kControl | Instruction::kBeforeLeader)) == 0) continue;
    if (warp.signal == Signal::stop) return RunEnd::stopped;
    const bool slice_used = warp.executed >= warp.slice_end;
    if (warp.signal == Signal::none && warp.groups.size() == 1 && !slice_used) continue;
    warp.signal = Signal::none;
    park_group(warp);
    if (slice_used) return RunEnd::slice_used;
    if (!choose_group(warp)) return RunEnd::blocked;
  }
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
