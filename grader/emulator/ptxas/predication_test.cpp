// SPDX-License-Identifier: MIT
#include "emulator/ptxas/predication.h"

#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

/// The opcodes of a kernel as predicate() leaves them: "add" under a predicate is "@add", or "@!add".
std::string predicated(const std::string& body, int sm = 90, const std::string& target = "sm_75") {
  Result<ptx::Module> module =
      ptx::parse(".version 9.0\n.target " + target +
                 "\n.address_size 64\n.visible .entry k(.param .u64 to) {\n.reg .f32 %f<9>;\n.reg "
                 ".f64 %d<9>;\n"
                 ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n" +
                 body + "ret;\n}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  predicate(module.value(), sm);
  std::string all;
  for (const ptx::Instruction& each : module->functions.at(0).body) {
    all += all.empty() ? "" : " ";
    all += each.guard < 0 ? "" : each.guard_negated ? "@!" : "@";
    all += each.opcode;
  }
  return all;
}

const std::string kStoreOfThird = "st.global.f32 [%rd1], %f3;\n";

TEST(Predication, GivesASumThePredicateOfTheSelectThatAloneUsesIt) {
  const std::string sum = "sub.f32 %f2, %f1, %f0;\nsetp.gt.f32 %p1, %f1, %f0;\n";
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, %f1, %p1;\n" + kStoreOfThird),
            "setp @sub selp st ret");
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f1, %f2, %p1;\n" + kStoreOfThird),
            "setp @!sub selp st ret");
}

TEST(Predication, LeavesASumWhereTheOtherValueLivesOnOrIsAConstant) {
  const std::string sum = "sub.f32 %f2, %f1, %f0;\nsetp.gt.f32 %p1, %f1, %f0;\n";
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, %f1, %p1;\n" + kStoreOfThird +
                       "st.global.f32 [%rd2], %f1;\n"),
            "sub setp selp st st ret");
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, 0f00000000, %p1;\n" + kStoreOfThird),
            "sub setp selp st ret");
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, %f1, %p1;\nst.global.f32 [%rd2], %f2;\n" +
                       kStoreOfThird),
            "sub setp selp st st ret");
  EXPECT_EQ(predicated(sum + "selp.f32 %f3, %f2, %f1, %p1;\n" + kStoreOfThird, 90, "sm_75, debug"),
            "sub setp selp st ret");
}

TEST(Predication, LeavesDoublesWhoseHalvesAreChosenApart) {
  EXPECT_EQ(predicated("mul.f64 %d2, %d1, %d0;\nsetp.gt.f64 %p1, %d1, %d0;\n"
                       "selp.f64 %d3, %d2, %d1, %p1;\nst.global.f64 [%rd1], %d3;\n"),
            "mul setp selp st ret");
}

TEST(Predication, LeavesTheEarlierOfTwoArms) {
  EXPECT_EQ(predicated("add.f32 %f2, %f1, %f0;\nmul.f32 %f4, %f1, %f0;\n"
                       "setp.gt.f32 %p1, %f1, %f0;\nselp.f32 %f3, %f2, %f4, %p1;\n" +
                       kStoreOfThird),
            "add setp @!mul selp st ret");
}

TEST(Predication, LeavesWhatAnEarlierSelectTakesThePlaceOf) {
  EXPECT_EQ(predicated("setp.lt.f32 %p1, %f1, %f0;\nadd.f32 %f2, %f1, %f0;\n"
                       "setp.ge.f32 %p2, %f1, %f0;\nsub.f32 %f4, %f1, %f0;\n"
                       "selp.f32 %f5, %f4, %f1, %p2;\nselp.f32 %f3, %f2, %f5, %p1;\n" +
                       kStoreOfThird),
            "setp add setp @sub selp selp st ret");
}

const std::string kLastSum =
    "ld.param.u64 %rd1, [to];\nadd.f32 %f3, %f1, %f0;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra $end;\n";

TEST(Predication, SinksBehindTheExitWhatOnlyLanesThatStayUse) {
  EXPECT_EQ(predicated(kLastSum + kStoreOfThird + "$end:\n"), "ld setp @bra add st ret");
  EXPECT_EQ(
      predicated(kLastSum + "mul.wide.s32 %rd2, %r1, 4;\nst.global.f32 [%rd2], %f3;\n$end:\n", 75),
      "ld setp @bra add mul st ret");
}

TEST(Predication, SinksNothingWhereNoWorkWaitsBehindTheExit) {
  // The address is in registers already, or may be a parameter.
  EXPECT_EQ(
      predicated("ld.global.f32 %f0, [%rd1];\nadd.f32 %f3, %f1, %f0;\nsetp.ne.s32 %p1, %r1, 0;\n"
                 "@%p1 bra $end;\n" +
                 kStoreOfThird + "$end:\n"),
      "ld add setp @bra st ret");
  EXPECT_EQ(predicated(kLastSum + kStoreOfThird + "$end:\n", 86), "ld add setp @bra st ret");
}

TEST(Predication, SinksNothingThatReadsConstantMemory) {
  EXPECT_EQ(predicated("ld.const.f32 %f0, [%rd2];\n" + kLastSum + kStoreOfThird + "$end:\n"),
            "ld ld add setp @bra st ret");
}

TEST(Predication, SinksNothingThatTheExitOrTheOthersNeed) {
  EXPECT_EQ(predicated("add.f32 %f3, %f1, %f0;\nsetp.gt.f32 %p1, %f3, %f0;\n@%p1 bra $end;\n" +
                       kStoreOfThird + "$end:\n"),
            "add setp @bra st ret");
  EXPECT_EQ(predicated(kLastSum + kStoreOfThird + "$end:\nst.global.f32 [%rd2], %f3;\n"),
            "ld add setp @bra st st ret");
}

TEST(Predication, SinksNothingThatASumWithAPredicateBeforeTheExitNeeds) {
  const std::string shuffled =
      "ld.param.u64 %rd1, [to];\nmov.b32 %f2, %r2;\nsetp.lt.s32 %p2, %r3, %r4;\n"
      "add.f32 %f4, %f1, %f2;\nselp.f32 %f3, %f4, %f1, %p2;\nmov.b32 %r5, %f3;\n"
      "shfl.sync.down.b32 %r6, %r5, 4, 31, -1;\nmov.b32 %f5, %r6;\nsetp.ne.s32 %p1, %r1, 0;\n"
      "@%p1 bra $end;\nst.global.f32 [%rd1], %f5;\n$end:\n";
  EXPECT_EQ(predicated(shuffled), "ld mov setp @add selp mov shfl setp @bra mov st ret");
}

}  // namespace
}  // namespace warpgrade::emulator
