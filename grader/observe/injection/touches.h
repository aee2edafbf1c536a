// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/injection/allocations.h"

namespace warpgrade::injection {

/// Larger allocations are not compared.
constexpr uint64_t kMaxSnapshotBytes = uint64_t{64} << 20;

/// An allocation as it was before a launch and after.
struct Snapshot {
  LiveMemory memory;
  std::vector<uint8_t> before, after;
};

/// The allocations that 8-byte words of the parameters point into, each once: what the kernel can
/// reach without following pointers that lie in memory.
std::vector<LiveMemory> reachable_from(const std::vector<std::string>& parameters,
                                       const LiveAllocations& live);

/// What the launch did to the allocation, as the emulated device records it. That bytes were read
/// cannot be seen: what is reachable and was not written counts as read, and padding never does.
Json touch_of(const Snapshot& snapshot);

}  // namespace warpgrade::injection
