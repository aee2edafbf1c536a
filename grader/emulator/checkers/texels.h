// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/exec/warp.h"

namespace warpgrade::emulator {

struct Allocation;

/// The race checker: a lane reads `bytes` bytes of a texture or surface at `address`, or writes
/// there what is at `stored`, which is put there at once. Whether memory was written before is not
/// looked at, since filters read beside what they are asked for.
void watch_texels(Warp& warp, const Instruction& instruction, int lane,
                  const Allocation& allocation, uint64_t address, unsigned bytes,
                  const uint8_t* stored);

}  // namespace warpgrade::emulator
