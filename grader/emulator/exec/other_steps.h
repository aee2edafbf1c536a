// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

/// By index in Program::code, the steps of machine code beside those that the opcode alone tells (kinds.h). Approximations
/// scale numbers near 0 by a product, in place where nobody else needs the operand and else always; `sin` and `cos` of one
/// angle share a product; and the product of a quotient joins its sum. Read off the SASS of ptxas 13.0.
std::unordered_map<uint32_t, OtherSteps> other_steps(const ptx::Module& module,
                                                     const Program& program);

}  // namespace warpgrade::emulator
