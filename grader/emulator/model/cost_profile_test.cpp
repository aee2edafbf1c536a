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

/// A function that sets a register, calls `callee` and reads the register.
Program calling(uint32_t callee) {
  Program program = program_of({{"exit", kNoRegister, kNoRegister}, {"mov.u64", 128, 256}});
  program.functions[0].is_entry = true;
  program.functions[1].count = 3;
  Detail detail;
  detail.function = callee;
  program.details.push_back(detail);
  Instruction call, reads;
  call.pc = 2;
  call.detail = 0;
  call.flags = Instruction::kControl;
  reads.pc = 3;
  reads.a = 128;
  program.code.insert(program.code.end(), {call, reads});
  program.opcodes.insert(program.opcodes.end(), {"call.uni", "not.b64"});
  return program;
}

TEST(CostProfile, CountsTheRegistersThatARecursionSaves) {
  EXPECT_EQ(make_cost_profile(calling(1)).costs[1].saved, 3 + 2);
  EXPECT_EQ(make_cost_profile(calling(1)).costs[0].saved, 0);
}

TEST(CostProfile, KnowsThatAFunctionInLinePassesRegistersOn) {
  Program program = calling(0);
  program.functions[1].is_entry = true;
  EXPECT_EQ(make_cost_profile(program).costs[1].saved, 0);
}

}  // namespace
}  // namespace warpgrade::emulator
