// SPDX-License-Identifier: MIT
#include "emulator/ptxas/joined.h"

#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

using Counts = std::vector<int>;

/// The counts of the loads and stores, in order, of a kernel that begins with %r2 = array + 16 * %tid.x.
Counts joined(const std::string& body) {
  const std::string text =
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .f64 %d<9>;\n.shared .align 4 .b8 array[4096];\n"
      "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 4;\nmov.u32 %r3, array;\nadd.s32 %r2, %r3, %r1;\n" +
      body + "ret;\n}\n";
  const Result<ptx::Module> module = ptx::parse(text);
  if (!module.ok()) throw std::runtime_error(module.error().message);
  const ptx::Function& function = module->functions.at(0);
  const std::vector<uint8_t> all = joined_accesses(module.value(), function);
  Counts counts;
  for (size_t index = 0; index < all.size(); ++index) {
    if (function.body[index].opcode == "ld" || function.body[index].opcode == "st")
      counts.push_back(all[index]);
  }
  return counts;
}

TEST(Joined, MakesOneLoadOfFourNeighboursWithArithmeticBetween) {
  EXPECT_EQ(joined("ld.shared.f32 %f1, [%r2];\nld.shared.f32 %f2, [%r2+8];\n"
                   "add.f32 %f1, %f1, %f2;\nld.shared.f32 %f3, [%r2+12];\n"
                   "ld.shared.f32 %f4, [%r2+4];\n"),
            (Counts{4, 0, 0, 0}));
}

TEST(Joined, MakesOneOfTwoDoublesOrOfTwoFloatsAtMultiplesOfEight) {
  EXPECT_EQ(joined("ld.shared.f64 %d1, [%r2+16];\nld.shared.f64 %d2, [%r2+24];\n"), (Counts{2, 0}));
  EXPECT_EQ(joined("ld.shared.f32 %f1, [%r2+8];\nld.shared.f32 %f2, [%r2+12];\n"), (Counts{2, 0}));
  EXPECT_EQ(joined("ld.shared.f32 %f1, [%r2+4];\nld.shared.f32 %f2, [%r2+8];\n"), (Counts{1, 1}));
}

TEST(Joined, LeavesLoadsAloneWhoseAlignmentNobodyCanTell) {
  EXPECT_EQ(joined("mad.lo.s32 %r4, %r0, 12, %r3;\nld.shared.f32 %f1, [%r4];\n"
                   "ld.shared.f32 %f2, [%r4+4];\n"),
            (Counts{1, 1}));
}

TEST(Joined, FollowsAnOffsetThatIsAddedAndAPointerThatALoopMoves) {
  EXPECT_EQ(joined("add.s32 %r4, %r2, 4;\nld.shared.f32 %f1, [%r2];\nld.shared.f32 %f2, [%r4];\n"),
            (Counts{2, 0}));
  EXPECT_EQ(joined("mov.u32 %r4, %r2;\n$again:\nld.shared.f32 %f1, [%r4];\n"
                   "ld.shared.f32 %f2, [%r4+4];\nadd.s32 %r4, %r4, 64;\nbra $again;\n"),
            (Counts{2, 0}));
  EXPECT_EQ(joined("mov.u32 %r4, %r2;\n$again:\nld.shared.f32 %f1, [%r4];\n"
                   "ld.shared.f32 %f2, [%r4+4];\nadd.s32 %r4, %r4, 36;\nbra $again;\n"),
            (Counts{1, 1}));
}

TEST(Joined, DoesNotReachOverBarriersStoresOrLabels) {
  const std::string one = "ld.shared.f32 %f1, [%r2];\n", other = "ld.shared.f32 %f2, [%r2+4];\n";
  EXPECT_EQ(joined(one + "bar.sync 0;\n" + other), (Counts{1, 1}));
  EXPECT_EQ(joined(one + "st.shared.f32 [%r3], %f1;\n" + other), (Counts{1, 1, 1}));
  EXPECT_EQ(joined(one + "$here:\n" + other), (Counts{1, 1}));
  EXPECT_EQ(joined("ld.volatile.shared.f32 %f1, [%r2];\nld.volatile.shared.f32 %f2, [%r2+4];\n"),
            (Counts{}));
}

TEST(Joined, MakesOneStoreOfTwoNeighboursAndNoneOfBytes) {
  EXPECT_EQ(joined("st.shared.f32 [%r2], %f1;\nst.shared.f32 [%r2+4], %f2;\n"), (Counts{2, 0}));
  EXPECT_EQ(joined("st.shared.u8 [%r2], %r0;\nst.shared.u8 [%r2+1], %r0;\n"), (Counts{1, 1}));
}

TEST(Joined, MakesOneStoreOfTwoOrFourHalfWordsButLoadsThemOneByOne) {
  EXPECT_EQ(joined("st.shared.u16 [%r2], %r0;\nst.shared.u16 [%r2+2], %r0;\n"
                   "st.shared.u16 [%r2+4], %r0;\nst.shared.u16 [%r2+6], %r0;\n"),
            (Counts{4, 0, 0, 0}));
  EXPECT_EQ(joined("st.shared.u16 [%r2+2], %r0;\nst.shared.u16 [%r2+4], %r0;\n"), (Counts{1, 1}));
  EXPECT_EQ(joined("ld.shared.u16 %r0, [%r2];\nld.shared.u16 %r1, [%r2+2];\n"), (Counts{1, 1}));
}

TEST(Joined, LoadsOnceWhatNothingHasChangedSince) {
  const std::string load = "ld.shared.u16 %r0, [%r2+2];\n";
  EXPECT_EQ(joined(load + "add.s32 %r4, %r2, 2;\nld.shared.u16 %r5, [%r4];\n"), (Counts{1, 0}));
  EXPECT_EQ(joined(load + "st.shared.u32 [%r3], %r0;\n" + load), (Counts{1, 1, 1}));
  EXPECT_EQ(joined(load + "bar.sync 0;\n" + load), (Counts{1, 1}));
  EXPECT_EQ(joined(load + "ld.shared.s16 %r5, [%r2+2];\n"), (Counts{1, 1}));
  EXPECT_EQ(joined("ld.shared.f32 %f1, [%r2];\nadd.s32 %r2, %r2, 64;\nld.shared.f32 %f2, [%r2];\n"),
            (Counts{1, 1}));
}

TEST(Joined, DoesNotReachOverArithmeticThatPtxasMakesBranchesOf) {
  const std::string one = "ld.shared.f32 %f1, [%r2];\n", other = "ld.shared.f32 %f2, [%r2+4];\n";
  EXPECT_EQ(joined(one + "div.rn.f32 %f3, %f4, %f5;\n" + other), (Counts{1, 1}));
  EXPECT_EQ(joined(one + "sqrt.rn.f64 %d3, %d4;\n" + other), (Counts{1, 1}));
  EXPECT_EQ(joined(one + "div.full.f32 %f3, %f4, %f5;\n" + other), (Counts{2, 0}));
  EXPECT_EQ(joined(one + "div.s32 %r4, %r5, %r6;\n" + other), (Counts{2, 0}));
}

}  // namespace
}  // namespace warpgrade::emulator
