// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "emulator/analysis/address_places.h"
#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Where the values of one function's registers come from and go to, whatever the way through it. Refers to the function.
class ValueSources {
 public:
  explicit ValueSources(const ptx::Function& function);

  /// All that a value may be made of.
  struct Sources {
    std::set<int> registers;
    std::set<size_t> steps;   ///< instructions that compute
    std::set<size_t> reads;   ///< loads, and atomics that return what they find
    bool is_unknown = false;  ///< something comes from another function, or from local memory
    bool varies = false;      ///< it is no constant
  };
  Sources sources_of(const ptx::Operand& operand) const;
  Sources sources_of(int reg) const;

  /// The registers that may be made of those given, by computation alone.
  std::set<int> made_of(const std::set<int>& registers) const;
  /// Those that an instruction sets.
  static std::set<int> results(const ptx::Instruction& instruction);

  /// Whether two reads have one address wherever they run.
  bool are_of_one_place(size_t a, size_t b) const {
    return places_.of(function_.body[a].operands[1]) == places_.of(function_.body[b].operands[1]);
  }

  const std::vector<size_t>& uses_of(int reg) const { return uses_[static_cast<size_t>(reg)]; }
  const std::vector<size_t>& sets_of(int reg) const { return sets_[static_cast<size_t>(reg)]; }

 private:
  void follow(std::vector<int> open, Sources& into) const;
  void follow_load(size_t load, std::vector<int>& open, Sources& into) const;

  const ptx::Function& function_;
  const AddressPlaces places_;
  std::vector<std::vector<size_t>> uses_, sets_;  ///< by register
  std::map<AddressPlaces::Place, std::vector<size_t>>
      stores_;  ///< what a load of the place may get
  std::vector<size_t> shared_stores_;
};

/// Whether other threads may take part: an atomic, or a volatile or ordered access.
bool is_strong(const ptx::Instruction& access);
/// Whether the instruction sets its first operand from the others alone.
bool computes(const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
