// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// The branches of a kernel, by index in its body, by which lanes leave a loop to do a last thing
/// of their own and end, as in `if (found) { *out = i; return; }`. Such lanes never meet the others
/// again, so hardware lets them go at once; at the ends of other branches it brings lanes together.
std::vector<size_t> early_exits(const ptx::Function& function);

}  // namespace warpgrade::emulator
