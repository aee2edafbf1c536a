// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace warpgrade::emulator {

struct Instruction;
struct Warp;

/// Which lanes throw away what a load gets them: the checkers do not count it as theirs (analysis/discarded_loads.h). Runs the
/// instructions of Drop::before under the warp's mask.
uint32_t lanes_that_drop(Warp& warp, const Instruction& instruction);

}  // namespace warpgrade::emulator
