// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Where ptxas puts a kernel's shared variables: those that the kernel declares first, behind them those of the module, each
/// in the order of their declarations and at the next multiple of its alignment, and last what the launch sizes. A
/// variable that the kernel does not name takes no place.
class SharedLayout {
 public:
  SharedLayout(const ptx::Module& module, const ptx::Function& function);

  /// The offset of the variable that an operand names; none where it is not known, as in a function that kernels call, or
  /// behind what functions that this kernel calls may add.
  std::optional<uint64_t> offset_of(const ptx::Operand& operand) const;

 private:
  std::vector<std::optional<uint64_t>> own_;  ///< by Operand::variable
  std::unordered_map<std::string_view, uint64_t> of_module_;
};

}  // namespace warpgrade::emulator
