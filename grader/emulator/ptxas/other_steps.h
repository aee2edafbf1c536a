// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Products, sums and fmas of floats that a lane does beside those that the opcode tells; fewer where negative.
struct OtherSteps {
  int products = 0, sums = 0, fmas = 0;
  int double_sums = 0;
  int slow_products = 0, slow_sums = 0;  ///< of a lane that RareCount::slow counts
};

/// By index in the function's body, the steps of machine code beside those that the opcode alone tells (kinds.h). ptxas
/// multiplies the operand of an approximation: in lanes with a number near 0, or in all where the operand is used again.
/// Where a magnitude goes to what has no bit for one, as to memory, it adds 0 to it; so it does to clamp what no sum or
/// product has given.
/// It shares one product between `sin` and `cos` of an angle, and joins a quotient's with a sum. Read off ptxas 13.0.
std::map<size_t, OtherSteps> other_steps(const ptx::Function& function);

}  // namespace warpgrade::emulator
