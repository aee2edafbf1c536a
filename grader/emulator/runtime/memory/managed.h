// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/memory/device_memory.h"

namespace warpgrade::emulator {

/// Whether it is cudaMallocManaged's or a __managed__ variable.
bool is_managed(const Allocation& allocation);

}  // namespace warpgrade::emulator
