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

/// What a function's instructions do to its registers, and how lanes get from one to the next.
class RegisterUses {
 public:
  explicit RegisterUses(const ptx::Function& function);

  size_t count() const { return function_.body.size(); }
  const ptx::Instruction& at(size_t index) const { return function_.body[index]; }
  /// Whether all that the instruction does is to set its first operand from the others (PTX ISA, sections 9.7.1 to 9.7.9).
  bool only_computes(size_t index) const { return computes_[index]; }
  /// Calls `visit` with each register that the instruction reads, its guard too, as often as it names it. Errs to too many.
  template <class Visit>
  void for_sources(size_t index, const Visit& visit) const {
    if (at(index).guard >= 0) visit(at(index).guard);
    for (size_t i = sets_first(index) ? 1 : 0; i < at(index).operands.size(); ++i)
      for_registers(at(index).operands[i], visit);
  }
  /// Calls `visit` with each register that the instruction may set. Errs to too many.
  template <class Visit>
  void for_results(size_t index, const Visit& visit) const {
    if (is_one_of(at(index), {"st", "red", "bra"})) return;
    const size_t end = sets_first(index) ? 1 : at(index).operands.size();
    for (size_t i = 0; i < end; ++i) for_registers(at(index).operands[i], visit);
  }
  bool reads(size_t index, int reg) const;
  bool may_set(size_t index, int reg) const;
  /// The instructions that use a register, or may, in the body's order.
  const std::vector<size_t>& uses_of(int reg) const { return uses_[static_cast<size_t>(reg)]; }
  /// Those that set all of it from what they read elsewhere.
  const std::vector<size_t>& sets_of(int reg) const { return sets_[static_cast<size_t>(reg)]; }

  /// Whether a branch leads to the instruction; labels of debug information do not make it so.
  bool is_entered(size_t index) const { return entrances_until_[index] != entrances_before(index); }
  /// Whether lanes may go on elsewhere than at the next instruction.
  bool ends_stretch(size_t index) const {
    return is_one_of(at(index), {"bra", "brx", "call", "ret", "exit"});
  }
  /// For each instruction, the number of its stretch, in which there is no branch and no entrance.
  std::vector<size_t> stretches() const;
  /// Where `bra` goes; count() for a label that the function lacks.
  size_t target_of(const ptx::Instruction& branch) const;
  /// Whether an instruction sets the register first: no other sets it, and none before uses it.
  bool is_born_at(int reg, size_t index) const;
  /// Whether a lane that goes on at `start` may use what the register holds there. Errs to yes.
  bool reaches(size_t start, int reg) const;

 private:
  /// Whether the instruction sets all of its first operand and does not read it.
  bool sets_first(size_t index) const {
    return computes_[index] || (at(index).opcode == "ld" && !at(index).operands.empty());
  }
  size_t entrances_before(size_t index) const {
    return index == 0 ? 0 : entrances_until_[index - 1];
  }
  void count_entrances();
  void note(size_t index);
  bool is_set_again_before(int reg, size_t use) const;
  bool search(size_t start, int reg) const;

  const ptx::Function& function_;
  std::vector<bool> computes_;
  std::vector<size_t>
      entrances_until_;  ///< how many branches' targets stand at an index or before it
  std::vector<std::vector<size_t>> uses_, sets_;  ///< by register, in the body's order
  mutable std::vector<uint32_t> seen_in_;  ///< by instruction: the last search that came there
  mutable uint32_t searches_ = 0;
};

}  // namespace warpgrade::emulator
