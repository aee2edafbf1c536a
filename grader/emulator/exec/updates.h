// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

/// A load and a store by which a thread changes a value in memory, as `*x += y` does.
struct Update {
  uint32_t load = 0, store = 0;  ///< by index in Program::code
  std::string_view opcode;       ///< of the instruction that makes the new value
};

/// The update that the load or store at `pc` is a part of: both have one address, and what is
/// stored is made of what was loaded, in code without a branch back.
std::optional<Update> update_at(const LoadedModule& module, uint32_t pc);

/// What makes the new value of the update that the access at `pc` is a part of; empty where that is none, or not known.
std::string_view updated_by(const LoadedModule& module, uint32_t pc);

/// The strong stores, by index in the body, of what was loaded from the same address and changed so that a second thread's change
/// does more, as an addition: where two threads store the same, one change is lost. A bit that both set is not.
std::vector<size_t> counting_stores(const ptx::Function& function);

}  // namespace warpgrade::emulator
