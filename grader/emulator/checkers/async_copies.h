// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/exec/warp.h"

namespace warpgrade::emulator {

/// The thread's groups but for the last `but` are complete, and with `open` what it has not
/// committed: as if it had written them now.
void complete_copies(Warp& warp, uint32_t thread, size_t but, bool open);

}  // namespace warpgrade::emulator
