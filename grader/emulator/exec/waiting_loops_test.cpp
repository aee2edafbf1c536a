// SPDX-License-Identifier: MIT
#include "emulator/exec/waiting_loops.h"

#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

ptx::Module kernel(const std::string& body) {
  Result<ptx::Module> module = ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<3>;\n.reg .b32 %r<5>;\n.reg .b64 %rd<3>;\n" +
      body + "ret;\n}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  return std::move(*module);
}

/// The branches of a kernel's waiting loops, by index.
std::vector<size_t> loops(const std::string& body) {
  const ptx::Module module = kernel(body);
  std::vector<size_t> branches;
  for (const WaitingLoop& loop : waiting_loops(module.functions.at(0)))
    branches.push_back(loop.branch);
  return branches;
}

using Branches = std::vector<size_t>;

TEST(WaitingLoops, ReadWhatOthersWrite) {
  EXPECT_EQ(loops("$turn:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n"
                  "@%p1 bra $turn;\n"),
            (Branches{2}));
  EXPECT_EQ(loops("$turn:\nld.acquire.gpu.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n"
                  "@%p1 bra $turn;\n"),
            (Branches{2}));
  EXPECT_EQ(loops("$turn:\natom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.s32 %p1, %r1, 0;\n"
                  "@%p1 bra $turn;\n"),
            (Branches{2}));
}

TEST(WaitingLoops, MayLeaveInTheMiddleAndSleep) {
  EXPECT_EQ(loops("$turn:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.ne.s32 %p1, %r1, 0;\n"
                  "@%p1 bra $end;\nnanosleep.u32 100;\nbra.uni $turn;\n$end:\n"),
            (Branches{4}));
}

TEST(WaitingLoops, LookWhereTheyReadWhatOthersWrite) {
  const ptx::Module module = kernel(
      "$turn:\nld.global.u32 %r2, [%rd2];\nld.volatile.global.u32 %r1, [%rd1];\n"
      "setp.ne.s32 %p1, %r1, %r2;\n@%p1 bra $turn;\n");
  const std::vector<WaitingLoop> found = waiting_loops(module.functions.at(0));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].looks, std::vector<size_t>{1});
}

TEST(WaitingLoops, NameEachRegisterThatATurnMayWrite) {
  const ptx::Module module = kernel(
      "$turn:\nld.volatile.global.v2.u32 {%r1, %r2}, [%rd1];\nadd.s32 %r3, %r1, %r4;\n"
      "setp.eq.s32 %p1, %r3, 0;\n@%p1 bra $turn;\n");
  const ptx::Function& function = module.functions.at(0);
  const std::vector<WaitingLoop> found = waiting_loops(function);
  ASSERT_EQ(found.size(), 1U);
  std::vector<std::string_view> names;
  for (const int reg : found[0].registers)
    names.push_back(function.registers[static_cast<size_t>(reg)].name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string_view>{"%p", "%r", "%r", "%r"}));
}

TEST(WaitingLoops, AreNoneThatStoreCallOrReadPlainly) {
  EXPECT_EQ(
      loops("$turn:\nld.global.u32 %r1, [%rd1];\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra $turn;\n"),
      (Branches{}));
  EXPECT_EQ(loops("$turn:\nld.volatile.global.u32 %r1, [%rd1];\nst.global.u32 [%rd2], %r1;\n"
                  "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $turn;\n"),
            (Branches{}));
  EXPECT_EQ(loops("$turn:\nld.volatile.global.u32 %r1, [%rd1];\nbar.sync 0;\n"
                  "setp.eq.s32 %p1, %r1, 0;\n@%p1 bra $turn;\n"),
            (Branches{}));
}

}  // namespace
}  // namespace warpgrade::emulator
