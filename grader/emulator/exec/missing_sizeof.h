// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/exec/worker.h"

namespace warpgrade::emulator {

struct MissingSizeof {
  uint64_t size = 0;  ///< of the allocation, in bytes
};

/// Where an access of `bytes` bytes beyond an allocation looks as if the allocation's size were a number of
/// elements. `address` is the first byte that is not in the allocation.
std::optional<MissingSizeof> missing_sizeof(const LaunchContext& launch, uint64_t address,
                                            unsigned bytes);

}  // namespace warpgrade::emulator
