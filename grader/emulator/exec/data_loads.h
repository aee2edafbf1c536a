// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Loads of one floating-point value from global memory that decide nothing: no predicate, no address and no argument of a call is
/// made of what they get. Who waits for a value or tries again compares it; such a load takes it for what another thread made.
std::vector<size_t> data_loads(const ptx::Function& function);

}  // namespace warpgrade::emulator
