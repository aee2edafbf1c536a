// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/ptx/module.h"
#include "emulator/ptxas/shared_layout.h"

namespace warpgrade::emulator {

bool writes_first_operand(const ptx::Instruction& instruction);

/// The power of two that every value of a register is a multiple of, as far as the code tells.
class Alignments {
 public:
  Alignments(const ptx::Module& module, const ptx::Function& function, const SharedLayout& layout);

  uint64_t of(const ptx::Operand& operand) const;
  uint64_t of_register(int reg) const { return known_[static_cast<size_t>(reg)]; }

 private:
  uint64_t of_symbol(const ptx::Operand& operand) const;
  bool lower(const ptx::Operand& target, uint64_t alignment);
  uint64_t result_of(const ptx::Instruction& instruction) const;

  const ptx::Function& function_;
  const SharedLayout& layout_;
  std::unordered_map<std::string_view, const ptx::Variable*> by_name_;
  std::vector<uint64_t> known_;
};

/// An address as a sum of an offset and a register, or -1 for a symbol. A shared variable whose place is known is none: its
/// offset is in `offset`, and `is_known` tells so.
struct Place {
  int reg = -1;
  std::string_view symbol;
  int64_t offset = 0;
  bool is_known = false;
};

/// Looks through `add %b, %a, 16` to %a, and through `mov %a, array`.
class Roots {
 public:
  Roots(const ptx::Function& function, const SharedLayout& layout);

  Place of(const ptx::Operand& address) const;

 private:
  void note(const ptx::Operand& target, const ptx::Instruction* writer);
  const ptx::Instruction* only_writer(int reg) const;
  Place of_symbol(const ptx::Operand& symbol, int64_t offset) const;

  const SharedLayout& layout_;
  std::vector<const ptx::Instruction*> writers_;
  std::vector<int> written_;
};

}  // namespace warpgrade::emulator
