// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "emulator/exec/program.h"
#include "emulator/model/op_costs.h"

namespace warpgrade::emulator {

/// Whether a call goes where a register says.
bool is_indirect_call(const Instruction& instruction, std::string_view opcode);

/// For each function, the registers of its callers that it puts into local memory and gets back when it returns: where it
/// calls itself, over others or not, or is called by a pointer, and calls something. ptxas gives other functions registers
/// that their callers do not use. Registers count that hold something across a call, seen in the order of the code.
std::vector<double> saved_registers(const Program& program, const std::vector<OpCost>& costs);

}  // namespace warpgrade::emulator
