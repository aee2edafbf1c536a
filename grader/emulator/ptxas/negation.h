// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Whether machine code takes an operand of this instruction with the other sign. A double that a `selp` chooses moves in
/// two halves, which have none.
bool takes_a_sign(const ptx::Instruction& user, bool is_double);

/// Turns each `neg` of a float that machine code computes into a `sub` from -0, which rounds and counts as ptxas's FADD
/// and DADD do. Where every use is an operand that may carry a sign, ptxas negates there, and the `neg` stays.
/// Read off the SASS of ptxas 13.0; a module that was built by -G is left as it is.
void spell_out_negations(ptx::Module& module);

}  // namespace warpgrade::emulator
