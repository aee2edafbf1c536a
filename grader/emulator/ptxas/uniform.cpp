// SPDX-License-Identifier: MIT
#include "emulator/ptxas/uniform.h"

#include <algorithm>
#include <array>
#include <vector>

namespace warpgrade::emulator {
namespace {

using ptx::Operand;

constexpr std::array<std::string_view, 14> kPureOpcodes = {"mov", "cvt", "cvta", "add", "sub",
                                                           "mul", "mad", "shl",  "shr", "and",
                                                           "or",  "xor", "min",  "max"};

bool is_special_uniform(std::string_view name) {
  return name.starts_with("%ctaid") || name.starts_with("%nctaid") || name.starts_with("%ntid");
}

/// Follows registers to the instructions that write them.
class Uniformity {
 public:
  explicit Uniformity(const ptx::Function& function)
      : writers_(function.registers.size()),
        written_(function.registers.size()),
        known_(function.registers.size(), Known::unknown) {
    for (const ptx::Instruction& instruction : function.body) {
      if (instruction.operands.empty()) continue;
      const Operand& target = instruction.operands.front();
      note(target, instruction);
      for (const Operand& element : target.elements) note(element, instruction);
    }
  }

  bool holds_for(const Operand& operand, int depth = 0) {
    constexpr int kMaxDepth = 32;
    if (operand.kind == Operand::Kind::special) return is_special_uniform(operand.name);
    if (operand.kind == Operand::Kind::vector || depth > kMaxDepth) return false;
    if (operand.reg < 0) return true;
    const auto reg = static_cast<size_t>(operand.reg);
    if (known_[reg] == Known::unknown) {
      // Until more is known: a register that depends on itself is not uniform.
      known_[reg] = Known::no;
      if (written_[reg] == 1 && makes_uniform(*writers_[reg], depth)) known_[reg] = Known::yes;
    }
    return known_[reg] == Known::yes;
  }

 private:
  void note(const Operand& target, const ptx::Instruction& instruction) {
    if (target.reg < 0 || target.is_address) return;
    writers_[static_cast<size_t>(target.reg)] = &instruction;
    ++written_[static_cast<size_t>(target.reg)];
  }

  bool makes_uniform(const ptx::Instruction& instruction, int depth) {
    const bool parameter = instruction.opcode == "ld" && instruction.has("param");
    const bool pure = std::find(kPureOpcodes.begin(), kPureOpcodes.end(), instruction.opcode) !=
                      kPureOpcodes.end();
    if ((!parameter && !pure) || instruction.guard >= 0) return false;
    return std::all_of(instruction.operands.begin() + 1, instruction.operands.end(),
                       [&](const Operand& source) { return holds_for(source, depth + 1); });
  }

  enum class Known : uint8_t { unknown, no, yes };
  std::vector<const ptx::Instruction*> writers_;
  std::vector<int> written_;
  std::vector<Known> known_;
};

}  // namespace

bool is_uniform(const ptx::Function& function, const Operand& operand) {
  return Uniformity(function).holds_for(operand);
}

}  // namespace warpgrade::emulator
