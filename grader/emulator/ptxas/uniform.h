// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Whether all threads of a warp can be seen to have the same `operand`: it is made of parameters,
/// constants and the block's number alone. ptxas finds this out too, and lets one lane of the warp
/// do an atomic for all of them.
bool is_uniform(const ptx::Function& function, const ptx::Operand& operand);

}  // namespace warpgrade::emulator
