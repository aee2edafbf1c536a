// SPDX-License-Identifier: MIT
#include "emulator/analysis/early_exit.h"

#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

/// The indices of early exits among the instructions of a kernel.
std::vector<size_t> exits(const std::string& body) {
  const Result<ptx::Module> module = ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<3>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n" +
      body + "}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  return early_exits(module->functions.at(0));
}

TEST(EarlyExit, IsABranchOutOfALoopToAStoreAndTheEnd) {
  EXPECT_EQ(exits("$turn:\nadd.s32 %r1, %r1, 1;\n@%p1 bra $found;\n@%p2 bra $turn;\n"
                  "bra.uni $end;\n$found:\nst.global.u32 [%rd1], %r1;\n$end:\nret;\n"),
            (std::vector<size_t>{1}));
}

TEST(EarlyExit, IsNotTheEndOfTheLoopItself) {
  EXPECT_EQ(exits("$turn:\nadd.s32 %r1, %r1, 1;\n@%p2 bra $turn;\nst.global.u32 [%rd1], %r1;\n"
                  "ret;\n"),
            (std::vector<size_t>{}));
}

TEST(EarlyExit, IsNotABranchToWhereOtherLanesComeToo) {
  EXPECT_EQ(exits("@%p1 bra $found;\n$turn:\nadd.s32 %r1, %r1, 1;\n@%p1 bra $found;\n"
                  "@%p2 bra $turn;\nret;\n$found:\nst.global.u32 [%rd1], %r1;\nret;\n"),
            (std::vector<size_t>{}));
  EXPECT_EQ(exits("$turn:\nadd.s32 %r1, %r1, 1;\n@%p1 bra $found;\n@%p2 bra $turn;\n"
                  "$found:\nst.global.u32 [%rd1], %r1;\nret;\n"),
            (std::vector<size_t>{}));
}

TEST(EarlyExit, IsNotABranchToCodeThatRunsOnToWhereOtherLanesComeIn) {
  EXPECT_EQ(exits("$turn:\nadd.s32 %r1, %r1, 1;\n@%p1 bra $one;\n@%p2 bra $turn;\n"
                  "bra.uni $end;\n$one:\nadd.s32 %r1, %r1, 1;\n$end:\nst.global.u32 [%rd1], %r1;\n"
                  "ret;\n"),
            (std::vector<size_t>{}));
}

TEST(EarlyExit, IsNotABranchToABarrier) {
  EXPECT_EQ(exits("$turn:\nadd.s32 %r1, %r1, 1;\n@%p1 bra $found;\n@%p2 bra $turn;\nret;\n"
                  "$found:\nbar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;\n"),
            (std::vector<size_t>{}));
}

}  // namespace
}  // namespace warpgrade::emulator
