// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

bool is_one_of(const ptx::Instruction& instruction,
               std::initializer_list<std::string_view> opcodes);

/// Whether ptxas makes branches of it, around a rare case or into a function.
bool becomes_branches(const ptx::Instruction& instruction);

/// Calls `visit` with each register that an operand names.
template <class Visit>
void for_registers(const ptx::Operand& operand, const Visit& visit) {
  if (operand.reg >= 0) visit(operand.reg);
  for (const ptx::Operand& element : operand.elements) for_registers(element, visit);
}

/// Where a function sets and uses its registers.
class RegisterUses {
 public:
  explicit RegisterUses(const ptx::Function& function);

  size_t count() const { return function_.body.size(); }
  const ptx::Instruction& at(size_t index) const { return function_.body[index]; }
  /// Whether all that the instruction does is to set its first operand from the others (PTX ISA, sections 9.7.1 to 9.7.9).
  bool only_computes(size_t index) const { return computes_[index]; }
  /// Where `bra` goes; count() for a label that the function lacks.
  size_t target_of(const ptx::Instruction& branch) const;
  /// Whether an instruction sets the register first: no other sets it, and none before uses it.
  bool is_born_at(int reg, size_t index) const;
  /// Whether a lane that goes on at `start` may use what the register holds there. Errs to yes.
  bool reaches(size_t start, int reg) const;

 private:
  void note(size_t index);
  bool is_set_again_before(int reg, size_t use) const;
  bool search(size_t start, int reg) const;

  const ptx::Function& function_;
  std::vector<bool> computes_;
  std::vector<size_t> labels_until_;            ///< how many labels stand at an index or before it
  std::vector<std::vector<size_t>> of_, sets_;  ///< by register, in the body's order
  mutable std::vector<uint32_t> seen_in_;       ///< by instruction: the last search that came there
  mutable uint32_t searches_ = 0;
};

}  // namespace warpgrade::emulator
