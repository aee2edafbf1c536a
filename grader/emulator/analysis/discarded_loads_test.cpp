// SPDX-License-Identifier: MIT
#include "emulator/analysis/discarded_loads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

std::string name_of(int reg) {
  return reg < 6 ? fmt::format("p{}", reg) : fmt::format("r{}", reg - 6);
}

std::string text_of(const LaneValues& values) {
  std::vector<std::string> conditions;
  for (const auto& [condition, value] : values.all) {
    const std::string after =
        condition.before.empty() ? "" : fmt::format(" after {}", fmt::join(condition.before, ","));
    conditions.push_back(fmt::format("{}{}{}", value ? "" : "!", name_of(condition.reg), after));
  }
  return fmt::format("{}", fmt::join(conditions, " and "));
}

/// "1: !p2 or p3 and p4 after 5": instruction 1's value is dropped where %p2 does not hold, and where %p3 does and %p4 as
/// instruction 5 sets it.
std::vector<std::string> discarded(const std::string& body) {
  const Result<ptx::Module> module = ptx::parse(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
      ".reg .pred %p<6>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<3>;\n" +
      body + "}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  std::vector<std::string> found;
  for (const DiscardedLoad& load : discarded_loads(module->functions.at(0))) {
    std::vector<std::string> where;
    for (const LaneValues& values : load.where) where.push_back(text_of(values));
    found.push_back(fmt::format("{}: {}", load.load, fmt::join(where, " or ")));
  }
  return found;
}

using Found = std::vector<std::string>;

constexpr const char* kFirst = "setp.ne.s32 %p1, %r1, 0;\n";
constexpr const char* kLoadAndCompare = "ld.shared.u32 %r2, [%rd1];\nsetp.eq.s32 %p2, %r2, 0;\n";
constexpr const char* kStore3 = "st.global.u32 [%rd2], %r3;\nret;\n";

TEST(DiscardedLoads, AreThoseOfAConditionThatAnotherHasDecided) {
  const std::string start = std::string(kFirst) + kLoadAndCompare;
  const std::string store = "st.global.u32 [%rd2], %r2;\n$end:\nret;\n";
  EXPECT_EQ(discarded(start + "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\n" + store), Found{"1: p1"});
  EXPECT_EQ(discarded(start + "and.pred %p3, %p2, %p1;\n@!%p3 bra $end;\n" + store),
            Found{"1: !p1"});
}

TEST(DiscardedLoads, AreThoseOfAChoiceThatIsKnown) {
  EXPECT_EQ(
      discarded(std::string(kFirst) + "ld.shared.u32 %r2, [%rd1];\nselp.b32 %r3, 0, %r2, %p1;\n"
                                      "st.global.u32 [%rd2], %r3;\nret;\n"),
      Found{"1: p1"});
  EXPECT_EQ(
      discarded(std::string(kFirst) + "ld.shared.u32 %r2, [%rd1];\nselp.b32 %r3, %r2, 0, %p1;\n"
                                      "st.global.u32 [%rd2], %r3;\nret;\n"),
      Found{"1: !p1"});
}

TEST(DiscardedLoads, AreNotThoseThatTheOtherWayUses) {
  EXPECT_EQ(discarded(std::string(kFirst) + kLoadAndCompare +
                      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\nst.global.u32 [%rd2], %r1;\n"
                      "$end:\nst.global.u32 [%rd2], %r2;\nret;\n"),
            Found{});
}

TEST(DiscardedLoads, AreNotThoseWhoseComparisonIsUsedElsewhere) {
  EXPECT_EQ(discarded(std::string(kFirst) + kLoadAndCompare +
                      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\n$end:\n"
                      "selp.b32 %r3, 1, 0, %p2;\nst.global.u32 [%rd2], %r3;\nret;\n"),
            Found{});
}

TEST(DiscardedLoads, AreThoseBeforeAConditionThatTheLaneCanKnow) {
  const std::string end =
      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\nst.global.u32 [%rd2], %r2;\n$end:\nret;\n";
  EXPECT_EQ(discarded(std::string(kLoadAndCompare) + kFirst + end), Found{"0: p1 after 2"});
  EXPECT_EQ(discarded(std::string(kLoadAndCompare) +
                      "and.b32 %r3, %r1, 31;\n"
                      "setp.ne.s32 %p1, %r3, 0;\n" +
                      end),
            Found{"0: p1 after 2,3"});
}

TEST(DiscardedLoads, AreNotThoseBeforeAConditionOfWhatIsLoadedLater) {
  // The first value decides about the second.
  EXPECT_EQ(discarded(std::string(kLoadAndCompare) + "ld.global.u32 %r1, [%rd2];\n" + kFirst +
                      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\nst.global.u32 [%rd2], %r2;\n"
                      "$end:\nret;\n"),
            Found{"2: p2"});
}

TEST(DiscardedLoads, AreThoseThatChooseBetweenWaysThatMeetBeforeTheyDoAnything) {
  const std::string choice = std::string(kLoadAndCompare) + "@%p2 bra $end;\n";
  const std::string rest = "@%p1 bra $end;\nst.global.u32 [%rd2], %r2;\n$end:\n";
  EXPECT_EQ(discarded(choice + kFirst + rest + "ret;\n"), Found{"0: p1 after 3"});
  EXPECT_EQ(discarded(choice + "st.global.u32 [%rd2], %r1;\n" + kFirst + rest + "ret;\n"), Found{});
  EXPECT_EQ(discarded(choice + "mov.u32 %r3, 5;\n" + kFirst + rest + kStore3), Found{});
}

TEST(DiscardedLoads, AreNotThoseBeforeAConditionOfTheClock) {
  const std::string end =
      "setp.ne.s32 %p1, %r3, 0;\nor.pred %p3, %p1, %p2;\n@%p3 bra $end;\n"
      "st.global.u32 [%rd2], %r2;\n$end:\nret;\n";
  EXPECT_EQ(discarded(std::string(kLoadAndCompare) + "mov.u32 %r3, %tid.y;\n" + end),
            Found{"0: p1 after 2,3"});
  EXPECT_EQ(discarded(std::string(kLoadAndCompare) + "mov.u32 %r3, %clock;\n" + end), Found{});
}

TEST(DiscardedLoads, AreNotThoseBeforeAConditionWhoseRegisterIsNeeded) {
  EXPECT_EQ(discarded(std::string(kLoadAndCompare) + "@%p1 st.global.u32 [%rd2], %r1;\n" + kFirst +
                      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\nst.global.u32 [%rd2], %r2;\n"
                      "$end:\nret;\n"),
            Found{});
}

TEST(DiscardedLoads, AreThoseThatSeveralConditionsDecideTogether) {
  EXPECT_EQ(discarded("setp.eq.s32 %p1, %r1, 0;\nsetp.eq.s32 %p2, %r4, 0;\n"
                      "ld.shared.u32 %r2, [%rd1];\nselp.b32 %r3, %r2, 0, %p1;\n"
                      "selp.b32 %r5, %r2, 0, %p2;\nst.global.u32 [%rd2], %r3;\n"
                      "st.global.u32 [%rd2], %r5;\nret;\n"),
            Found{"2: !p1 and !p2"});
}

/// What follows a load whose value only lanes with %p1 may use.
Found after_load(const std::string& rest) {
  return discarded("setp.eq.s32 %p1, %r1, 0;\nld.shared.u32 %r2, [%rd1];\n" + rest);
}

TEST(DiscardedLoads, AreThoseOfAConditionThatIsStored) {
  EXPECT_EQ(after_load("setp.ne.s32 %p2, %r2, 0;\nand.pred %p3, %p1, %p2;\n"
                       "selp.u32 %r3, 1, 0, %p3;\n" +
                       std::string(kStore3)),
            Found{"1: !p1"});
}

TEST(DiscardedLoads, AreThoseOfAChainOfConditions) {
  EXPECT_EQ(after_load("setp.ne.s32 %p2, %r2, 0;\nsetp.lt.s32 %p3, %r2, %r1;\n"
                       "and.pred %p4, %p1, %p2;\nand.pred %p5, %p3, %p4;\n"
                       "selp.u32 %r3, 1, 0, %p5;\n" +
                       std::string(kStore3)),
            Found{"1: !p1"});
  EXPECT_EQ(after_load("setp.gt.and.s32 %p2, %r2, 0, %p1;\n@%p2 st.global.u32 [%rd2], %r2;\n"
                       "ret;\n"),
            Found{"1: !p1"});
}

TEST(DiscardedLoads, TellEveryPredicateThatDecides) {
  EXPECT_EQ(discarded("setp.eq.s32 %p1, %r1, 0;\nsetp.gt.s32 %p2, %r4, 2;\n"
                      "ld.shared.u32 %r2, [%rd1];\nsetp.gt.s32 %p3, %r2, %r4;\n"
                      "and.pred %p4, %p2, %p3;\nand.pred %p5, %p1, %p4;\n"
                      "selp.b32 %r3, 9, 0, %p5;\n" +
                      std::string(kStore3)),
            Found{"2: !p2 or !p1 and p2"});
}

TEST(DiscardedLoads, AreThoseThatAreComputedWithBeforeTheChoice) {
  EXPECT_EQ(after_load("and.b32 %r4, %r2, 1;\nselp.b32 %r3, %r4, 0, %p1;\n" + std::string(kStore3)),
            Found{"1: !p1"});
}

TEST(DiscardedLoads, AreThoseThatAnotherConditionIsMixedWith) {
  EXPECT_EQ(discarded("setp.eq.s32 %p1, %r1, 0;\nld.shared.u32 %r2, [%rd1];\n"
                      "ld.shared.u32 %r4, [%rd1+4];\nsetp.eq.s32 %p2, %r4, 0;\n"
                      "or.pred %p3, %p1, %p2;\nselp.b32 %r3, 0, %r2, %p3;\n" +
                      std::string(kStore3)),
            (Found{"1: p1", "2: p1"}));
}

TEST(DiscardedLoads, AreThoseThatAreComparedWithZeroTogetherWithAThread) {
  EXPECT_EQ(discarded("ld.shared.u32 %r2, [%rd1];\nor.b32 %r4, %r2, %r1;\n"
                      "setp.eq.s32 %p2, %r4, 0;\nselp.u32 %r3, 1, 0, %p2;\n" +
                      std::string(kStore3)),
            Found{"0: r1"});
  EXPECT_EQ(discarded("ld.shared.u32 %r2, [%rd1];\nor.b32 %r4, %r2, %r1;\n"
                      "setp.eq.s32 %p2|%p3, %r4, 0;\nselp.u32 %r3, 1, 0, %p3;\n" +
                      std::string(kStore3)),
            Found{});
  EXPECT_EQ(discarded("ld.shared.u32 %r2, [%rd1];\nor.b32 %r4, %r2, %r1;\n"
                      "setp.eq.s32 %p2, %r4, 1;\nselp.u32 %r3, 1, 0, %p2;\n" +
                      std::string(kStore3)),
            Found{});
}

TEST(DiscardedLoads, AreThoseOfSeveralElements) {
  EXPECT_EQ(discarded("setp.eq.s32 %p1, %r1, 0;\nld.shared.v2.u32 {%r2, %r4}, [%rd1];\n"
                      "@!%p1 bra $end;\nst.global.v2.u32 [%rd2], {%r4, %r2};\n$end:\nret;\n"),
            Found{"1: !p1"});
}

TEST(DiscardedLoads, AreNotThoseThatReachMemoryABranchOrAnotherLane) {
  const Found none;
  EXPECT_EQ(after_load("st.global.u32 [%rd2], %r2;\n@%p1 st.global.u32 [%rd2], %r1;\nret;\n"),
            none);
  EXPECT_EQ(after_load("setp.eq.s32 %p2, %r2, 0;\n@%p2 bra $end;\n@%p1 st.global.u32 [%rd2], %r2;\n"
                       "$end:\nret;\n"),
            none);
  EXPECT_EQ(after_load("shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;\nselp.b32 %r3, %r4, 0, %p1;\n" +
                       std::string(kStore3)),
            none);
  // The second load is one of those; what the first one got is an address.
  EXPECT_EQ(after_load("cvt.u64.u32 %rd1, %r2;\nld.shared.u32 %r4, [%rd1];\n"
                       "selp.b32 %r3, %r4, 0, %p1;\n" +
                       std::string(kStore3)),
            Found{"3: !p1"});
}

TEST(DiscardedLoads, AreNeitherVolatileNorWithoutAnyUse) {
  EXPECT_EQ(after_load("selp.b32 %r3, %r2, 0, %p1;\nret;\n"), Found{});
  EXPECT_EQ(discarded(std::string(kFirst) +
                      "ld.volatile.shared.u32 %r2, [%rd1];\nselp.b32 %r3, %r2, 0, %p1;\n"
                      "st.global.u32 [%rd2], %r3;\nret;\n"),
            Found{});
}

TEST(DiscardedLoads, AreNotThoseThatALaterRoundOfALoopUses) {
  EXPECT_EQ(discarded("$again:\nst.global.u32 [%rd2], %r2;\nsetp.eq.s32 %p1, %r1, 0;\n"
                      "ld.shared.u32 %r2, [%rd1];\n@!%p1 bra $again;\nret;\n"),
            Found{"2: p1"});
}

TEST(DiscardedLoads, AreNotThoseThatAWayOfAnOpenBranchUses) {
  const std::string start = "setp.ne.s32 %p2, %r5, 0;\n@%p1 bra $first;\n@%p2 bra $second;\nret;\n";
  EXPECT_EQ(after_load(start + "$first:\nst.global.u32 [%rd2], %r2;\nret;\n$second:\nret;\n"),
            Found{"1: !p1"});
  EXPECT_EQ(after_load(start + "$first:\nret;\n$second:\nst.global.u32 [%rd2], %r2;\nret;\n"),
            Found{"1: !p1 and !p2 after 2 or p1"});
}

TEST(DiscardedLoads, AreThoseWhoseRegisterOthersSetForThemselves) {
  EXPECT_EQ(discarded(std::string(kFirst) + "add.s32 %r2, %r1, 1;\n" + kLoadAndCompare +
                      "or.pred %p3, %p1, %p2;\n@%p3 bra $end;\nst.global.u32 [%rd2], %r2;\n"
                      "$end:\nret;\n"),
            Found{"2: p1"});
}

}  // namespace
}  // namespace warpgrade::emulator
