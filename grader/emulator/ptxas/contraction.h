// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Joins each `mul` and `add` or `sub` that ptxas joins to one `fma`, which rounds once. Neither has a rounding modifier
/// then (PTX ISA, 9.7.3 and 9.7.4), all uses of the product are sums in its basic block, and no -G asks for every step.
/// `Operand::negated` of a factor or an addend says what a `sub` subtracts.
void contract(ptx::Module& module);

}  // namespace warpgrade::emulator
