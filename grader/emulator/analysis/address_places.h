// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Tells which addresses of one function are the same wherever it runs: nvcc writes one as a register, a sum or a copy,
/// as it likes. Refers to the function.
class AddressPlaces {
 public:
  /// A register or a symbol that no copy and no sum with a constant makes, and the constant on top, in bytes.
  struct Place {
    int reg = -1;
    std::string_view symbol = {};
    int variable = -1;  ///< of the function, as ptx::Operand names it
    int64_t offset = 0;
    auto operator<=>(const Place&) const = default;
  };

  explicit AddressPlaces(const ptx::Function& function);
  Place of(const ptx::Operand& address) const;

 private:
  /// How a register is made of another or of a symbol, where it is so everywhere.
  struct Source {
    bool is_written = false, is_known = false;
    Place place;
  };
  void write(const ptx::Operand& target, const Source& source);
  static Source source_of(const ptx::Instruction& instruction);

  std::vector<Source> sources_;  ///< by register
};

}  // namespace warpgrade::emulator
