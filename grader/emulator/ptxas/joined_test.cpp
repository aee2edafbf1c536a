// SPDX-License-Identifier: MIT
#include "emulator/ptxas/joined.h"

#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

using Counts = std::vector<int>;

/// The counts of the loads and stores, in order, of a kernel that begins with %r2 = array + 16 * %tid.x.
/// `before`: shared variables that lie in front of the array.
Counts joined(const std::string& body, const std::string& before = "") {
  const std::string text =
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .f64 %d<9>;\n.reg .b64 %rd<9>;\n" +
      before +
      ".shared .align 4 .b8 array[4096];\n"
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

TEST(Joined, LoadsAWordThatNobodyAsksForWhereThreeOfFourAreAskedFor) {
  const std::string one = "ld.shared.f32 %f1, [%r2];\n", two = "ld.shared.f32 %f2, [%r2+4];\n",
                    three = "ld.shared.f32 %f3, [%r2+8];\n",
                    four = "ld.shared.f32 %f4, [%r2+12];\n";
  EXPECT_EQ(joined(one + two + three), (Counts{4, 0, 0}));
  EXPECT_EQ(joined(two + three + four), (Counts{4, 0, 0}));
  EXPECT_EQ(joined(one + four), (Counts{1, 1}));
  EXPECT_EQ(joined("st.shared.f32 [%r2], %f1;\nst.shared.f32 [%r2+4], %f2;\n"
                   "st.shared.f32 [%r2+8], %f3;\n"),
            (Counts{2, 0, 1}));
}

TEST(Joined, KnowsWhereAnArrayLiesBehindOthers) {
  const std::string loads =
                        "ld.shared.f32 %f1, [array];\nld.shared.f32 %f2, [array+4];\n"
                        "ld.shared.f32 %f3, [array+8];\nld.shared.f32 %f4, [array+12];\n",
                    by_lane = "ld.shared.f32 %f1, [%r2];\nld.shared.f32 %f2, [%r2+4];\n",
                    store = "st.shared.u32 [before], %r0;\nbar.sync 0;\n";
  const std::string four = ".shared .align 4 .b8 before[4];\n",
                    eight = ".shared .align 4 .b8 before[8];\n";
  EXPECT_EQ(joined(loads), (Counts{4, 0, 0, 0}));
  EXPECT_EQ(joined(store + loads, four), (Counts{1, 4, 0, 0, 1}));
  EXPECT_EQ(joined(store + loads, eight), (Counts{1, 2, 0, 2, 0}));
  EXPECT_EQ(joined(loads, four), (Counts{4, 0, 0, 0})) << "what nothing names takes no place";
  EXPECT_EQ(joined(store + by_lane, four), (Counts{1, 1, 1}));
  EXPECT_EQ(joined(store + by_lane, eight), (Counts{1, 2, 0}));
}

constexpr const char* kFourStores =
    "st.global.f32 [%rd1], %f1;\nst.global.f32 [%rd1+4], %f2;\n"
    "st.global.f32 [%rd1+8], %f3;\nst.global.f32 [%rd1+12], %f4;\n";
const std::string kWideStore = "st.global.v4.f32 [%rd1+256], {%f1, %f2, %f3, %f4};\n";

TEST(Joined, MakesOneStoreToGlobalMemoryWhereAWiderOneTellsTheAlignment) {
  EXPECT_EQ(joined(kFourStores), (Counts{1, 1, 1, 1}));
  EXPECT_EQ(joined(kFourStores + kWideStore), (Counts{4, 0, 0, 0, 1}));
  EXPECT_EQ(joined(kWideStore + kFourStores), (Counts{1, 4, 0, 0, 0}));
  EXPECT_EQ(joined("st.global.v2.f32 [%rd1+256], {%f1, %f2};\n" + std::string(kFourStores)),
            (Counts{1, 2, 0, 2, 0}));
  EXPECT_EQ(
      joined("st.global.v4.f32 [%rd1+264], {%f1, %f2, %f3, %f4};\n" + std::string(kFourStores)),
      (Counts{1, 1, 1, 1, 1}));
  EXPECT_EQ(joined(kWideStore + "$here:\nadd.s32 %r0, %r0, 1;\n" + kFourStores),
            (Counts{1, 1, 1, 1, 1}));
}

TEST(Joined, MakesOneLoadFromGlobalMemoryOfNeighboursOfAWholeWiderOne) {
  const std::string wide = "ld.global.v4.f32 {%f5, %f6, %f7, %f8}, [%rd1+16];\n",
                    four =
                        "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\n"
                        "ld.global.f32 %f3, [%rd1+8];\nld.global.f32 %f4, [%rd1+12];\n",
                    used = "add.f32 %f5, %f5, %f6;\nadd.f32 %f7, %f7, %f8;\n";
  EXPECT_EQ(joined(wide + four + used), (Counts{1, 4, 0, 0, 0}));
  EXPECT_EQ(joined(wide + four), (Counts{1, 1, 1, 1, 1})) << "ptxas loads nothing that is not used";
}

TEST(Joined, LeavesOutARepeatedLoadFromGlobalMemoryUnlessItMayHaveChanged) {
  const std::string load = "ld.global.u32 %r4, [%rd1];\n", again = "ld.global.u32 %r5, [%rd1];\n";
  const auto with_between = [&](const std::string& between) {
    return joined(load + between + again);
  };
  EXPECT_EQ(with_between("redux.sync.add.s32 %r6, %r4, -1;\n"), (Counts{1, 0}));
  EXPECT_EQ(with_between("st.shared.u32 [%r2], %r4;\n"), (Counts{1, 1, 0}));
  EXPECT_EQ(with_between("atom.shared.add.u32 %r6, [%r2], 1;\n"), (Counts{1, 0}));
  for (const char* const between : {"st.global.u32 [%rd2], %r4;\n", "st.u32 [%rd2], %r4;\n"})
    EXPECT_EQ(with_between(between), (Counts{1, 1, 1})) << between;
  for (const char* const between :
       {"bar.sync 0;\n", "bar.warp.sync -1;\n", "membar.gl;\n", "red.global.add.u32 [%rd2], 1;\n",
        "add.s64 %rd1, %rd1, 4;\n", "nanosleep.u32 10;\n", "$here:\n"})
    EXPECT_EQ(with_between(between), (Counts{1, 1})) << between;
}

}  // namespace
}  // namespace warpgrade::emulator
