// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string_view>

#include "emulator/model/cost_profile.h"

namespace warpgrade::emulator {

/// Whether a branch goes back, or to itself.
bool is_backward(const Instruction& instruction, std::string_view opcode);

bool divides(std::string_view opcode);

/// The registers that a function writes: each has a register file of its own. The others hold immediates.
std::set<uint32_t> written_registers(const Program& program, const FunctionCode& function);

/// Notes in a profile's blocks and of_all_turns which loops ptxas unrolls.
void find_unrolled(const Program& program, CostProfile& profile);

}  // namespace warpgrade::emulator
