// SPDX-License-Identifier: MIT
#include "emulator/exec/split_updates.h"

#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

/// The writes that are parts of updates, with their reads, by index.
std::map<size_t, std::vector<uint32_t>> found(const std::string& body) {
  Result<ptx::Module> module = ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n" +
      body + "$end:\nret;\n}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  std::map<size_t, std::vector<uint32_t>> writes;
  for (const auto& [index, update] : split_updates(module->functions.at(0)).writes)
    writes.emplace(index, update.reads);
  return writes;
}

using Writes = std::map<size_t, std::vector<uint32_t>>;

const std::string kLoad = "ld.volatile.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 5;\n";

TEST(SplitUpdates, AreExchangesOfWhatALoadMade) {
  EXPECT_EQ(found(kLoad + "atom.global.exch.b32 %r3, [%rd1], %r2;\n"), (Writes{{2, {0}}}));
  EXPECT_EQ(found("atom.global.or.b32 %r1, [%rd1], 0;\nadd.s32 %r2, %r1, 5;\n"
                  "atom.global.exch.b32 %r3, [%rd1], %r2;\n"),
            (Writes{{2, {0}}}));
  EXPECT_EQ(found(kLoad + "atom.global.exch.b32 %r3, [%rd1], 7;\n"), Writes{});
}

TEST(SplitUpdates, PutInPlaceWhatTheyAreGiven) {
  EXPECT_EQ(found(kLoad + "red.global.max.u32 [%rd1], %r2;\n"), (Writes{{2, {0}}}));
  EXPECT_EQ(found(kLoad + "st.release.gpu.global.u32 [%rd1], %r2;\n"), (Writes{{2, {0}}}));
  EXPECT_EQ(found(kLoad + "red.global.inc.u32 [%rd1], %r2;\n"), Writes{});
}

TEST(SplitUpdates, AreSwapsThatNobodyLooksAt) {
  const std::string swap = kLoad + "atom.global.cas.b32 %r3, [%rd1], %r1, %r2;\n";
  EXPECT_EQ(found(swap), (Writes{{2, {0}}}));
  EXPECT_EQ(found(swap + "setp.eq.s32 %p1, %r3, 100;\n@%p1 bra $end;\n"), (Writes{{2, {0}}}));
  EXPECT_EQ(found(swap + "setp.eq.s32 %p1, %r3, %r1;\n@%p1 bra $end;\n"), Writes{});
  EXPECT_EQ(found(swap + "xor.b32 %r4, %r3, %r1;\nsetp.eq.s32 %p1, %r4, 0;\n@%p1 bra $end;\n"),
            Writes{});
}

TEST(SplitUpdates, AreNoneWhereTheValueSaysWhoseTurnItIs) {
  const std::string exchange = "atom.global.exch.b32 %r3, [%rd1], %r2;\n";
  EXPECT_EQ(found(kLoad + "setp.ne.s32 %p1, %r1, %r5;\n@%p1 bra $end;\n" + exchange), Writes{});
  EXPECT_EQ(found(kLoad + "setp.eq.s32 %p1, %r1, %r5;\n@%p1 bra $end;\n" + exchange),
            (Writes{{4, {0}}}));
  EXPECT_EQ(found(kLoad +
                  "ld.volatile.global.u32 %r5, [%rd1];\nsetp.ne.s32 %p1, %r1, %r5;\n"
                  "@%p1 bra $end;\n" +
                  exchange),
            (Writes{{5, {0}}}));
}

TEST(SplitUpdates, CompareBySizeToMakeAMaximum) {
  EXPECT_EQ(found("ld.volatile.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2];\n"
                  "setp.ge.u32 %p1, %r1, %r2;\n@%p1 bra $end;\n"
                  "atom.global.exch.b32 %r3, [%rd1], %r2;\n"),
            (Writes{{4, {0, 1}}}));
}

TEST(SplitUpdates, FollowAValueThroughSharedMemoryWhateverOrdersIt) {
  const std::string exchange = "atom.global.exch.b32 %r3, [%rd1], %r4;\n";
  EXPECT_EQ(found(kLoad +
                  "st.volatile.shared.u32 [%rd2], %r2;\n"
                  "ld.volatile.shared.u32 %r4, [%rd2];\n" +
                  exchange),
            (Writes{{2, {0}}, {4, {0, 3}}}));
  EXPECT_EQ(found(kLoad + "st.shared.u32 [%rd2], %r2;\nld.shared.u32 %r4, [%rd2+4];\n" + exchange),
            (Writes{{2, {0}}, {4, {0, 3}}}));
}

TEST(SplitUpdates, FollowAValueThroughMemoryOfTheirOwn) {
  EXPECT_EQ(found(kLoad + "st.shared.u32 [%rd2], %r2;\nld.shared.u32 %r4, [%rd2];\n"
                          "atom.global.exch.b32 %r3, [%rd1], %r4;\n"),
            (Writes{{2, {0}}, {4, {0, 3}}}));
}

}  // namespace
}  // namespace warpgrade::emulator
