// SPDX-License-Identifier: MIT
#include "emulator/ptxas/negation.h"

#include <gtest/gtest.h>

#include "emulator/ptx/parser.h"
#include "emulator/ptxas/contraction.h"

namespace warpgrade::emulator {
namespace {

/// The operations on floats that a kernel is left with, behind contract(), too.
std::string spelt_out(const std::string& body, const std::string& target = "sm_75") {
  Result<ptx::Module> module =
      ptx::parse(".version 9.0\n.target " + target +
                 "\n.address_size 64\n.visible .entry k() {\n.reg .f32 %f<9>;\n.reg .f64 %d<9>;\n"
                 ".reg .b64 %rd<9>;\n.reg .pred %p<3>;\n" +
                 body + "ret;\n}\n");
  if (!module.ok()) throw std::runtime_error(module.error().message);
  spell_out_negations(module.value());
  contract(module.value());
  std::string all;
  for (const ptx::Instruction& each : module->functions.at(0).body) {
    if (each.opcode == "st" || each.opcode == "ret") continue;
    all += (all.empty() ? "" : " ") + std::string(each.text);
  }
  return all;
}

TEST(Negation, IsASubtractionWhereItsResultIsStored) {
  EXPECT_EQ(spelt_out("neg.f32 %f1, %f0;\nst.global.f32 [%rd1], %f1;\n"), "sub.f32");
  EXPECT_EQ(spelt_out("neg.ftz.f32 %f1, %f0;\nst.global.f32 [%rd1], %f1;\n"), "sub.ftz.f32");
  EXPECT_EQ(spelt_out("neg.f64 %d1, %d0;\nst.global.f64 [%rd1], %d1;\n"), "sub.rn.f64");
  EXPECT_EQ(spelt_out("neg.f32 %f1, %f0;\nst.global.f32 [%rd1], %f1;\n", "sm_75, debug"),
            "neg.f32");
}

TEST(Negation, IsAnFmaOfTheProductThatItAloneUses) {
  EXPECT_EQ(spelt_out("mul.f32 %f1, %f0, %f0;\nneg.f32 %f2, %f1;\nst.global.f32 [%rd1], %f2;\n"),
            "fma.rn.f32");
  EXPECT_EQ(spelt_out("mul.f64 %d1, %d0, %d0;\nneg.f64 %d2, %d1;\nst.global.f64 [%rd1], %d2;\n"),
            "mul.f64 sub.rn.f64");
}

TEST(Negation, StaysWhereOperandsCarryTheSign) {
  EXPECT_EQ(spelt_out("neg.f32 %f1, %f0;\nmul.f32 %f2, %f1, %f0;\nst.global.f32 [%rd1], %f2;\n"),
            "neg.f32 mul.f32");
  EXPECT_EQ(
      spelt_out("neg.f32 %f1, %f0;\nselp.f32 %f2, %f1, %f0, %p1;\nst.global.f32 [%rd1], %f2;\n"),
      "neg.f32 selp.f32");
  EXPECT_EQ(
      spelt_out("neg.f64 %d1, %d0;\nselp.f64 %d2, %d1, %d0, %p1;\nst.global.f64 [%rd1], %d2;\n"),
      "sub.rn.f64 selp.f64");
}

TEST(Negation, IsASubtractionWhereTwoInstructionsSetItsRegister) {
  EXPECT_EQ(spelt_out("neg.f32 %f1, %f0;\n@%p1 bra $on;\nmov.f32 %f1, %f2;\n$on:\n"
                      "add.f32 %f3, %f1, %f0;\nst.global.f32 [%rd1], %f3;\n"),
            "sub.f32 bra mov.f32 add.f32");
}

}  // namespace
}  // namespace warpgrade::emulator
