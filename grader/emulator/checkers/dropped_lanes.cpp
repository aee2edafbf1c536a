// SPDX-License-Identifier: MIT
#include "emulator/checkers/dropped_lanes.h"

#include <vector>

#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

/// The lanes whose register of 32 bits is not 0.
uint32_t lanes_with_bits(const Warp& warp, uint32_t reg) {
  const uint32_t* const words = warp.reg<uint32_t>(reg);
  uint32_t lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) lanes |= uint32_t{words[lane] != 0} << lane;
  return lanes;
}

}  // namespace

uint32_t lanes_that_drop(Warp& warp, const Instruction& instruction) {
  if ((instruction.ordering & kMayDrop) == 0) return 0;
  const Program& program = warp.worker->launch->module->program;
  const Drop& drop = program.drops.at(instruction.pc);
  for (const uint32_t pc : drop.before) program.code[pc].run(warp, program.code[pc]);
  uint32_t lanes = 0;
  for (const std::vector<Drop::Condition>& clause : drop.clauses) {
    uint32_t holds = ~uint32_t{0};
    for (const Drop::Condition& condition : clause) {
      const uint32_t these = condition.is_predicate ? warp.predicate(condition.reg)
                                                    : lanes_with_bits(warp, condition.reg);
      holds &= condition.value ? these : ~these;
    }
    lanes |= holds;
  }
  return lanes;
}

}  // namespace warpgrade::emulator
