// SPDX-License-Identifier: MIT
#include "emulator/model/cost_profile.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace warpgrade::emulator {
namespace {

/// A program of functions of one instruction each: its opcode, what it writes and what it reads.
struct OneInstruction {
  std::string_view opcode;
  uint32_t d, a;
};
Program program_of(const std::vector<OneInstruction>& functions) {
  Program program;
  for (const OneInstruction& each : functions) {
    FunctionCode function;
    function.first = static_cast<uint32_t>(program.code.size());
    function.count = 1;
    program.functions.push_back(function);
    Instruction instruction;
    instruction.pc = function.first;
    instruction.d = each.d;
    instruction.a = each.a;
    program.code.push_back(instruction);
    program.opcodes.push_back(each.opcode);
  }
  return program;
}

TEST(CostProfile, TakesALoadFromAFixedPlaceForAnOperandWhateverOtherKernelsWrite) {
  const Program program = program_of({{"ld.const.f32", 128, 256}, {"mov.u32", 256, 0}});
  const CostProfile profile = make_cost_profile(program);
  EXPECT_EQ(profile.costs[0].issue, 0);
  EXPECT_NE(profile.costs[0].kind, OpKind::constant_load);
}

TEST(CostProfile, KnowsALoadByAnIndexThatTheKernelItselfWrites) {
  const Program program = program_of({{"ld.const.f32", 256, 256}});
  EXPECT_EQ(make_cost_profile(program).costs[0].kind, OpKind::constant_load);
}

TEST(CostProfile, WaitsForTheOldValueOfAnAtomicThatALaterBlockOfCodeReads) {
  Program program = program_of({{"atom.global.add.u32", 128, 256}});
  EXPECT_EQ(make_cost_profile(program).blocks.at(0).path.atomic, 0);
  Instruction reads;
  reads.pc = 1;
  reads.a = 128;
  program.code[0].flags = Instruction::kControl;  // ends the basic block
  program.code.push_back(reads);
  program.opcodes.push_back("not.b32");
  program.functions[0].count = 2;
  EXPECT_EQ(make_cost_profile(program).blocks.at(0).path.atomic, 1);
}

/// A loop: it loads by a register that it steps, adds what it got up, counts by `step` in `counter` and compares that.
Program loop_of(std::string_view load, uint32_t counter_step) {
  constexpr uint32_t kCounter = 128, kPointer = 256, kSum = 384, kGot = 512, kGuard = 640;
  constexpr uint32_t kImmediate = 1024, kLimit = 1152;
  Program program = program_of({{"mov.u32", kCounter, kLimit}});
  const auto add = [&](std::string_view opcode, uint32_t d, uint32_t a, uint32_t b) {
    Instruction instruction;
    instruction.pc = static_cast<uint32_t>(program.code.size());
    instruction.d = d;
    instruction.a = a;
    instruction.b = b;
    program.code.push_back(instruction);
    program.opcodes.push_back(opcode);
  };
  program.code[0].flags = Instruction::kControl;  // ends the basic block
  add(load, kGot, kPointer, kNoRegister);
  add("add.f32", kSum, kSum, kGot);
  add("add.s64", kPointer, kPointer, kImmediate);
  add("add.s32", kCounter, kCounter, counter_step);
  add("setp.lt.s32", kGuard, kCounter, kLimit);
  add("bra", kNoRegister, kNoRegister, kNoRegister);
  program.code.back().flags = Instruction::kControl;
  program.code.back().guard = kGuard;
  program.code.back().immediate = 1;
  program.functions[0].count = static_cast<uint32_t>(program.code.size());
  return program;
}

TEST(CostProfile, LaysTurnsOfACountedLoopBehindEachOther) {
  const CostProfile profile = make_cost_profile(loop_of("ld.global.f32", 1024));
  const BasicBlock& loop = profile.blocks.at(1);
  EXPECT_TRUE(loop.unrolls);
  EXPECT_DOUBLE_EQ(loop.path.global, 1);
  EXPECT_DOUBLE_EQ(loop.unrolled_path.global, 1.0 / kUnrolledTurns);  // four loads wait together
  EXPECT_EQ(profile.of_all_turns, (std::vector<bool>{false, false, false, true, true, true, true}));
}

TEST(CostProfile, UnrollsNoLoopOfAnUnknownStepAndNoneWithAnAtomic) {
  const CostProfile unknown_step = make_cost_profile(loop_of("ld.global.f32", 512));
  EXPECT_FALSE(unknown_step.blocks.at(1).unrolls);
  const CostProfile atomic = make_cost_profile(loop_of("atom.global.add.f32", 1024));
  EXPECT_FALSE(atomic.blocks.at(1).unrolls);
}

}  // namespace
}  // namespace warpgrade::emulator
