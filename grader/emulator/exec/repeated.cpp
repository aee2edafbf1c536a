// SPDX-License-Identifier: MIT
#include "emulator/exec/repeated.h"

#include <algorithm>
#include <compare>

namespace warpgrade::emulator {
namespace {

/// What two accesses must have in common beside the pattern, for one memo to hold for both.
struct Likeness {
  uintptr_t run, inner;  ///< handlers, as numbers because those have an order
  uint32_t address, guard;
  uint8_t elements, joined;
  bool guard_negated;
  std::strong_ordering operator<=>(const Likeness&) const = default;
};

/// Follows straight-line code: what stands in it runs at once, for the same lanes.
class Stretches {
 public:
  Stretches(const ptx::Function& function, const FunctionCode& code, Program& program)
      : function_(function),
        code_(code),
        program_(program),
        last_written_(function.registers.size(), kNever) {}

  void mark() {
    for (size_t index = 0; index < function_.body.size(); ++index) {
      const ptx::Instruction& from = function_.body[index];
      Instruction& instruction = program_.code[code_.first + index];
      if ((from.opcode == "ld" || from.opcode == "st") && instruction.memory_slot != kNoDetail)
        take(index, from, instruction);
      if (!from.operands.empty()) note_written(index, from.operands[0]);
      if ((instruction.flags & (Instruction::kControl | Instruction::kBeforeLeader)) != 0)
        firsts_.clear();
    }
  }

 private:
  static constexpr long kNever = -1;

  bool is_written_since(long index, int reg) const {
    return reg >= 0 && last_written_[static_cast<size_t>(reg)] >= index;
  }

  void take(size_t index, const ptx::Instruction& from, Instruction& instruction) {
    const Handler inner =
        instruction.detail == kNoDetail ? nullptr : program_.details[instruction.detail].inner;
    // One that is joined to another costs nothing, and so needs no cost of its own.
    const uint8_t joined = std::max<uint8_t>(instruction.joined, 1);
    const Likeness likeness{reinterpret_cast<uintptr_t>(instruction.run),
                            reinterpret_cast<uintptr_t>(inner),
                            instruction.a,
                            instruction.guard,
                            instruction.elements,
                            joined,
                            from.guard_negated};
    const auto [found, is_new] = firsts_.try_emplace(likeness, index);
    const int address = from.operands[from.opcode == "st" ? 0 : 1].reg;
    const auto first = static_cast<long>(found->second);
    if (is_written_since(first, address) || is_written_since(first, from.guard)) {
      found->second = index;
    } else if (!is_new) {
      instruction.memory_slot = program_.code[code_.first + found->second].memory_slot;
      instruction.flags |= Instruction::kRepeated;
    }
  }

  void note_written(size_t index, const ptx::Operand& target) {
    for (const ptx::Operand& element : target.elements) note_written(index, element);
    if (target.reg >= 0 && !target.is_address)
      last_written_[static_cast<size_t>(target.reg)] = static_cast<long>(index);
  }

  const ptx::Function& function_;
  const FunctionCode& code_;
  Program& program_;
  std::vector<long> last_written_;     ///< by register: index of an instruction
  std::map<Likeness, size_t> firsts_;  ///< of each kind of access, in this stretch
};

}  // namespace

void mark_repeated(const ptx::Function& function, const FunctionCode& code, Program& program) {
  Stretches(function, code, program).mark();
}

}  // namespace warpgrade::emulator
