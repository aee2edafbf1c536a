// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "emulator/exec/worker.h"

namespace warpgrade::emulator {

/// ": 257 bytes hold 64 elements of 4 bytes, and 257 elements need 1028 bytes: is a sizeof missing?" where an
/// access of `bytes` bytes beyond an allocation looks as if the allocation's size were a number of elements;
/// else empty. `address` is the first byte that is not in the allocation.
std::string missing_sizeof(const LaunchContext& launch, uint64_t address, unsigned bytes);

}  // namespace warpgrade::emulator
