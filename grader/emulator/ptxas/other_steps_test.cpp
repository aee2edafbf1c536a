// SPDX-License-Identifier: MIT
#include "emulator/ptxas/other_steps.h"

#include <gtest/gtest.h>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {
namespace {

/// The sum of the steps that a kernel has beside those of its opcodes.
OtherSteps steps_of(const std::string& body) {
  DeviceMemory memory({size_t{1} << 20});
  const auto module = load_module(
      ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n.reg .f32 %f<9>;\n"
      ".reg .f64 %d<4>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n" +
          body + "ret;\n}\n",
      0, 90, memory);
  if (!module) throw std::runtime_error(module.error().message);
  OtherSteps all;
  for (const auto& [pc, steps] : (*module)->program.other_steps) {
    all.products += steps.products;
    all.sums += steps.sums;
    all.fmas += steps.fmas;
    all.double_sums += steps.double_sums;
    all.slow_products += steps.slow_products;
    all.slow_sums += steps.slow_sums;
  }
  return all;
}

const std::string kStoreOfFirst = "st.global.f32 [%rd1], %f1;\n",
                  kStoreOfSecond = "st.global.f32 [%rd2], %f2;\n";

TEST(OtherSteps, ScaleAnOperandThatLivesOnByAProductOfItsOwn) {
  for (const char* const opcode : {"lg2", "rsqrt", "sqrt", "ex2"}) {
    const std::string approximation = std::string(opcode) + ".approx.f32 %f2, %f1;\n";
    EXPECT_EQ(steps_of(approximation + kStoreOfSecond).products, 0) << opcode;
    EXPECT_EQ(steps_of(approximation + kStoreOfFirst + kStoreOfSecond).products, 1) << opcode;
  }
  EXPECT_EQ(steps_of("lg2.approx.ftz.f32 %f2, %f1;\n" + kStoreOfFirst + kStoreOfSecond).products,
            0);
  EXPECT_EQ(steps_of("rcp.approx.f32 %f2, %f1;\n" + kStoreOfFirst + kStoreOfSecond).products, 0);
  EXPECT_EQ(steps_of("div.full.f32 %f2, %f3, %f1;\n" + kStoreOfFirst + kStoreOfSecond).products, 1);
  EXPECT_EQ(steps_of("div.approx.f32 %f2, %f1, %f3;\n" + kStoreOfFirst + kStoreOfSecond).products,
            1);
}

TEST(OtherSteps, ShareTheProductOfOneOperand) {
  const std::string both = "lg2.approx.f32 %f2, %f1;\nrsqrt.approx.f32 %f3, %f1;\n";
  EXPECT_EQ(steps_of(both + kStoreOfSecond + "st.global.f32 [%rd3], %f3;\n").products, 0);
  EXPECT_EQ(
      steps_of(both + kStoreOfFirst + kStoreOfSecond + "st.global.f32 [%rd3], %f3;\n").products, 1);
  const std::string own = "mul.f32 %f4, %f1, 0f4B800000;\nst.global.f32 [%rd3], %f4;\n";
  EXPECT_EQ(steps_of("lg2.approx.f32 %f2, %f1;\n" + own + kStoreOfSecond).products, 0);
}

TEST(OtherSteps, ClampByASumWhatNoSumOrProductHasGiven) {
  const std::string clamp = "cvt.sat.f32.f32 %f2, %f1;\n" + kStoreOfSecond;
  EXPECT_EQ(steps_of("rcp.rn.f32 %f1, %f3;\n" + clamp).sums, 1);
  EXPECT_EQ(steps_of("ld.global.f32 %f1, [%rd1];\n" + clamp).sums, 1);
  for (const char* const opcode :
       {"add.f32 %f1, %f3, %f4;\n", "fma.rn.f32 %f1, %f3, %f4, %f5;\n"}) {
    EXPECT_EQ(steps_of(opcode + clamp).sums, 0) << opcode;
    EXPECT_EQ(steps_of(opcode + clamp + kStoreOfFirst).sums, 1) << opcode;
  }
}

TEST(OtherSteps, ShareTheProductOfOneAngle) {
  EXPECT_EQ(steps_of("sin.approx.f32 %f2, %f1;\ncos.approx.f32 %f3, %f1;\n" + kStoreOfSecond +
                     "st.global.f32 [%rd3], %f3;\n")
                .products,
            -1);
  EXPECT_EQ(steps_of("sin.approx.f32 %f2, %f1;\ncos.approx.f32 %f3, %f4;\n" + kStoreOfSecond +
                     "st.global.f32 [%rd3], %f3;\n")
                .products,
            0);
}

TEST(OtherSteps, JoinAQuotientWithTheSumThatAloneUsesIt) {
  const OtherSteps joined =
      steps_of("div.approx.f32 %f3, %f4, %f5;\nadd.f32 %f2, %f3, %f6;\n" + kStoreOfSecond);
  EXPECT_EQ(joined.products, -1);
  EXPECT_EQ(joined.sums, -1);
  EXPECT_EQ(joined.fmas, 1);
  EXPECT_EQ(steps_of("div.rn.f32 %f3, %f4, %f5;\nadd.f32 %f2, %f3, %f6;\n" + kStoreOfSecond).fmas,
            0);
  EXPECT_EQ(
      steps_of("div.approx.f32 %f3, %f4, %f5;\nadd.rn.f32 %f2, %f3, %f6;\n" + kStoreOfSecond).fmas,
      0);
}

TEST(OtherSteps, AddNothingToAMagnitudeThatGoesWhereNoBitAsksForOne) {
  EXPECT_EQ(steps_of("abs.f32 %f2, %f1;\n" + kStoreOfSecond).sums, 1);
  EXPECT_EQ(steps_of("abs.f64 %d2, %d1;\nst.global.f64 [%rd1], %d2;\n").double_sums, 1);
  EXPECT_EQ(steps_of("abs.f32 %f3, %f1;\nadd.f32 %f2, %f3, %f4;\n" + kStoreOfSecond).sums, 0);
  const std::string choice = "abs.f64 %d2, %d1;\nselp.f64 %d3, %d2, %d1, %p1;\n";
  EXPECT_EQ(steps_of(choice + "st.global.f64 [%rd1], %d3;\n").double_sums, 1);
  EXPECT_EQ(steps_of("abs.f32 %f3, %f1;\nrcp.rn.f32 %f2, %f3;\n" + kStoreOfSecond).sums, 1);
}

TEST(OtherSteps, SettleTheSignOfAQuotientThatNeedsCare) {
  EXPECT_EQ(steps_of("neg.f32 %f3, %f1;\ndiv.rn.f32 %f2, %f3, %f4;\n" + kStoreOfSecond).slow_sums,
            1);
  EXPECT_EQ(steps_of("abs.f32 %f3, %f1;\ndiv.rn.f32 %f2, %f3, %f4;\n" + kStoreOfSecond).slow_sums,
            1);
  EXPECT_EQ(steps_of("div.rn.f32 %f2, %f1, %f4;\n" + kStoreOfSecond).slow_sums, 0);
}

TEST(OtherSteps, SquareThePowerOfTheHalfOfALargeNegativeNumber) {
  const std::string power = "ex2.approx.f32 %f2, %f1;\n";
  EXPECT_EQ(steps_of(power + kStoreOfSecond).slow_products, 2);
  EXPECT_EQ(steps_of(power + kStoreOfFirst + kStoreOfSecond).slow_products, 1);
  EXPECT_EQ(steps_of("ex2.approx.ftz.f32 %f2, %f1;\n" + kStoreOfSecond).slow_products, 0);
}

}  // namespace
}  // namespace warpgrade::emulator
