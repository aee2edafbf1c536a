// SPDX-License-Identifier: MIT
#include "emulator/analysis/register_uses.h"

#include <gtest/gtest.h>

#include <string>

#include "emulator/ptx/parser.h"

namespace warpgrade::emulator {
namespace {

/// A kernel and what is known of its registers.
class UsesOf {
 public:
  explicit UsesOf(const std::string& body)
      : module_(ptx::parse(".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n"
                           ".reg .b32 a, b, c, d, e;\n.reg .b64 x, y;\n.reg .pred p;\n" +
                           body + "}\n")
                    .value()),
        uses_(module_.functions.front()) {}

  const RegisterUses* operator->() const { return &uses_; }
  const RegisterUses& operator*() const { return uses_; }

  /// The names of registers, in the order in which the instruction reads them.
  std::string sources(size_t index) const {
    std::string all;
    uses_.for_sources(index, [&](int reg) { all += " " + name(reg); });
    return all;
  }
  std::string results(size_t index) const {
    std::string all;
    uses_.for_results(index, [&](int reg) { all += " " + name(reg); });
    return all;
  }

 private:
  std::string name(int reg) const {
    return std::string(module_.functions.front().registers[static_cast<size_t>(reg)].name);
  }

  ptx::Module module_;
  RegisterUses uses_;
};

TEST(RegisterUses, KnowWhatAnInstructionReadsAndMaySet) {
  const UsesOf uses(
      "add.u32 a, b, b;\n@p ld.global.u32 c, [x];\nst.global.u32 [y], c;\n"
      "atom.global.add.u32 d, [x], e;\nret;\n");
  EXPECT_EQ(uses.sources(0), " b b");
  EXPECT_EQ(uses.results(0), " a");
  EXPECT_EQ(uses.sources(1), " p x");
  EXPECT_EQ(uses.results(1), " c");
  EXPECT_EQ(uses.sources(2), " y c");
  EXPECT_EQ(uses.results(2), "");
  // It is not known which of its operands an atomic reads.
  EXPECT_EQ(uses.sources(3), " d x e");
  EXPECT_EQ(uses.results(3), " d x e");
}

TEST(RegisterUses, TakeOnlyTheTargetsOfBranchesForEntrances) {
  const UsesOf uses(
      "mov.u32 a, 1;\n$L__tmp0:\nadd.u32 a, a, 1;\n$L__BB0_1:\nadd.u32 a, a, 2;\n"
      "@p bra $L__BB0_1;\nret;\n");
  EXPECT_FALSE(uses->is_entered(1));
  EXPECT_TRUE(uses->is_entered(2));
  EXPECT_FALSE(uses->is_entered(3));
}

TEST(RegisterUses, FollowAValueAroundALoop) {
  const UsesOf uses(
      "$L__BB0_1:\nadd.u32 a, b, 1;\nmov.u32 b, c;\nmov.u32 d, a;\n"
      "@p bra $L__BB0_1;\nret;\n");
  const auto reg = [&](size_t index) { return uses->at(index).operands[0].reg; };
  EXPECT_TRUE(uses->reaches(3, reg(1)));
  EXPECT_FALSE(uses->reaches(3, reg(0)));
  EXPECT_FALSE(uses->reaches(0, reg(2)));
}

}  // namespace
}  // namespace warpgrade::emulator
