// SPDX-License-Identifier: MIT
#include "emulator/ptxas/contraction.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

/// "f10" for the eleventh register of `.reg .f32 %f<40>`, with a sign where it is negated.
std::string name_of(const ptx::Function& function, const ptx::Operand& operand) {
  const std::string sign = operand.negated ? "-" : "";
  if (operand.kind != ptx::Operand::Kind::reg) return sign + "number";
  const std::string_view name = function.registers[static_cast<size_t>(operand.reg)].name;
  const auto first = std::find_if(function.registers.begin(), function.registers.end(),
                                  [&](const ptx::Register& each) { return each.name == name; });
  return sign + std::string(name.substr(1)) +
         std::to_string(operand.reg - (first - function.registers.begin()));
}

/// What a kernel's adds, subs, muls and fmas have become: "f10=fma(f0,-f1,f2)".
std::string contracted(const std::string& body, const std::string& target = "sm_75") {
  const std::string text = ".version 9.0\n.target " + target +
                           "\n.address_size 64\n.func callee() { ret; }\n.visible .entry k() "
                           "{\n.reg .f32 %f<40>;\n.reg .f64 %d<9>;\n"
                           ".reg .b16 %h<9>;\n.reg .b64 %rd<3>;\n.reg .pred %p<3>;\n" +
                           body + "ret;\n}\n";
  Result<ptx::Module> module = ptx::parse(text);
  if (!module.ok()) throw std::runtime_error(module.error().message);
  contract(module.value());
  const ptx::Function& function = module->functions.at(1);
  std::string all;
  for (const ptx::Instruction& each : function.body) {
    const bool is_told = each.opcode == "add" || each.opcode == "sub" || each.opcode == "mul" ||
                         each.opcode == "fma";
    if (!is_told) continue;
    all += (all.empty() ? "" : " ") + name_of(function, each.operands[0]) + "=" +
           std::string(each.opcode);
    for (size_t i = 1; i < each.operands.size(); ++i)
      all += (i == 1 ? "(" : ",") + name_of(function, each.operands[i]);
    all += ")";
  }
  return all;
}

constexpr char kProduct[] = "mul.f32 %f10, %f0, %f1;\n";

TEST(Contraction, JoinsAProductWithTheSumThatUsesIt) {
  EXPECT_EQ(contracted(std::string(kProduct) + "add.f32 %f11, %f10, %f2;\n"), "f11=fma(f0,f1,f2)");
  EXPECT_EQ(contracted(std::string(kProduct) + "add.f32 %f11, %f2, %f10;\n"), "f11=fma(f0,f1,f2)");
  EXPECT_EQ(contracted(std::string(kProduct) + "sub.f32 %f11, %f2, %f10;\n"), "f11=fma(-f0,f1,f2)");
  EXPECT_EQ(contracted(std::string(kProduct) + "sub.f32 %f11, %f10, %f2;\n"), "f11=fma(f0,f1,-f2)");
  EXPECT_EQ(contracted("mul.f64 %d3, %d0, %d1;\nsub.f64 %d4, %d2, %d3;\n"), "d4=fma(-d0,d1,d2)");
  EXPECT_EQ(contracted("mul.f16 %h3, %h0, %h1;\nadd.f16 %h4, %h3, %h2;\n"), "h4=fma(h0,h1,h2)");
  EXPECT_EQ(contracted("mul.f32 %f10, %f0, 0f40400000;\nadd.sat.f32 %f11, %f10, %f2;\n"),
            "f11=fma(f0,number,f2)");
}

TEST(Contraction, LeavesWhatTheProgramRounds) {
  for (const char* const body : {"mul.rn.f32 %f10, %f0, %f1;\nadd.f32 %f11, %f10, %f2;\n",
                                 "mul.f32 %f10, %f0, %f1;\nadd.rn.f32 %f11, %f10, %f2;\n",
                                 "mul.ftz.f32 %f10, %f0, %f1;\nadd.f32 %f11, %f10, %f2;\n",
                                 "mul.f32 %f10, %f0, %f1;\nadd.ftz.f32 %f11, %f10, %f2;\n",
                                 "mul.sat.f32 %f10, %f0, %f1;\nadd.f32 %f11, %f10, %f2;\n"})
    EXPECT_EQ(contracted(body), "f10=mul(f0,f1) f11=add(f10,f2)") << body;
  EXPECT_EQ(contracted(std::string(kProduct) + "add.f32 %f11, %f10, %f2;\n", "sm_75, debug"),
            "f10=mul(f0,f1) f11=add(f10,f2)");
}

TEST(Contraction, LeavesAProductThatSomethingElseUses) {
  const std::string sum = "add.f32 %f11, %f10, %f2;\n", apart = "f10=mul(f0,f1) f11=add(f10,f2)";
  EXPECT_EQ(contracted(kProduct + sum + "st.global.f32 [%rd1], %f10;\n"), apart);
  EXPECT_EQ(contracted(kProduct + sum + "setp.gt.f32 %p1, %f10, %f3;\n"), apart);
  EXPECT_EQ(contracted(kProduct + sum + "add.f32 %f12, %f10, %f10;\n"),
            apart + " f12=add(f10,f10)");
  EXPECT_EQ(contracted(kProduct + sum + "add.f32 %f12, %f10, %f3;\n"),
            "f11=fma(f0,f1,f2) f12=fma(f0,f1,f3)");
}

TEST(Contraction, StaysInABasicBlock) {
  const std::string sum = "add.f32 %f11, %f10, %f2;\n", apart = "f10=mul(f0,f1) f11=add(f10,f2)";
  const std::string joined = "f11=fma(f0,f1,f2)";
  EXPECT_EQ(contracted(std::string("@%p1 bra $L;\n") + kProduct + "$L:\n" + sum), apart);
  EXPECT_EQ(contracted(kProduct + std::string("@%p1 exit;\n") + sum), apart);
  EXPECT_EQ(contracted(kProduct + std::string("{ call.uni callee; }\n") + sum), apart);
  EXPECT_EQ(contracted(kProduct + std::string("div.rn.f32 %f3, %f4, %f5;\n") + sum), apart);
  EXPECT_EQ(contracted(std::string("@%p1 ") + kProduct + sum), apart);
  EXPECT_EQ(contracted(kProduct + std::string("@%p1 mov.f32 %f10, %f3;\n") + sum), apart);
  EXPECT_EQ(
      contracted(std::string("$again:\nadd.f32 %f11, %f10, %f2;\n") + kProduct + "bra $again;\n"),
      "f11=add(f10,f2) f10=mul(f0,f1)");
  EXPECT_EQ(contracted(kProduct + std::string("$nobody_branches_here:\nbar.sync 0;\n") + sum),
            joined);
  EXPECT_EQ(contracted(kProduct + ("@%p1 " + sum)), joined);
  EXPECT_EQ(contracted("$again:\n" + (kProduct + sum) + "bra $again;\n"), joined);
}

TEST(Contraction, KeepsLabelsWhereTheyStood) {
  EXPECT_EQ(contracted(std::string(kProduct) +
                       "add.f32 %f11, %f10, %f2;\n@%p1 bra $end;\n"
                       "mul.f32 %f12, %f0, %f3;\n$end:\nadd.f32 %f13, %f12, %f11;\n"),
            "f11=fma(f0,f1,f2) f12=mul(f0,f3) f13=add(f12,f11)");
}

TEST(Contraction, TakesTheProductThatPtxasTakes) {
  const std::string products = std::string(kProduct) + "mul.f32 %f11, %f2, %f3;\n";
  EXPECT_EQ(contracted(products + "add.f32 %f12, %f10, %f11;\n"),
            "f11=mul(f2,f3) f12=fma(f0,f1,f11)");
  EXPECT_EQ(contracted(products + "sub.f32 %f12, %f11, %f10;\n"),
            "f10=mul(f0,f1) f12=fma(f2,f3,-f10)");
  EXPECT_EQ(contracted(products + "add.f32 %f12, %f10, %f11;\nst.global.f32 [%rd1], %f10;\n"),
            "f10=mul(f0,f1) f12=fma(f2,f3,f10)");
  EXPECT_EQ(contracted(products + "add.f32 %f13, %f10, %f4;\nadd.f32 %f12, %f10, %f11;\n"),
            "f10=mul(f0,f1) f13=add(f10,f4) f12=fma(f2,f3,f10)");
  EXPECT_EQ(contracted(products + "add.f32 %f12, %f10, %f11;\nsub.f32 %f13, %f10, %f11;\n"),
            "f11=mul(f2,f3) f12=fma(f0,f1,f11) f13=fma(f0,f1,-f11)");
}

TEST(Contraction, NeedsTheFactorsAsTheyWere) {
  EXPECT_EQ(contracted(std::string(kProduct) + "mov.f32 %f0, %f4;\nadd.f32 %f11, %f10, %f2;\n"),
            "f10=mul(f0,f1) f11=add(f10,f2)");
  EXPECT_EQ(contracted("mul.f32 %f0, %f0, %f1;\nadd.f32 %f11, %f0, %f2;\n"),
            "f0=mul(f0,f1) f11=add(f0,f2)");
}

}  // namespace
}  // namespace warpgrade::emulator
