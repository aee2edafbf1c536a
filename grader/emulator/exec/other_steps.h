// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

/// By index in Program::code, the steps of machine code beside those that the opcode alone tells (kinds.h). ptxas
/// multiplies the operand of an approximation: in lanes with a number near 0, or in all where the operand is used again.
/// It shares one product between `sin` and `cos` of an angle, and joins a quotient's with a sum. Read off ptxas 13.0.
std::unordered_map<uint32_t, OtherSteps> other_steps(const ptx::Module& module,
                                                     const Program& program);

}  // namespace warpgrade::emulator
