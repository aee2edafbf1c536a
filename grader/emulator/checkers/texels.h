// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/exec/warp.h"

namespace warpgrade::emulator {

struct Allocation;

/// A lane reads an element of a texture or surface, `bytes` bytes at `address`, which counts in its result; or it writes
/// there what is at `stored`, which is put there at once.
void watch_texels(Warp& warp, const Instruction& instruction, int lane,
                  const Allocation& allocation, uint64_t address, unsigned bytes,
                  const uint8_t* stored);

}  // namespace warpgrade::emulator
