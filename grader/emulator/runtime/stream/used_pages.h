// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/checkers/access_map.h"
#include "emulator/runtime/host.h"

namespace warpgrade::emulator {

/// What an operation uses of the memory that the host sees, too: whole pages, which can be protected, and parts of others.
struct UsedPages {
  std::vector<GuardedPages> whole;
  std::vector<ByteRange> parts;
};

/// Pages count as whole where the operation uses all of their bytes that lie in the allocation.
UsedPages used_pages_of(const MemoryUse& use, const DeviceMemory& memory);

/// Sees the host change parts of pages, which cannot be protected: it keeps what they held when the program went on.
class WatchedParts {
 public:
  explicit WatchedParts(const DeviceMemory& memory) : memory_(memory) {}

  void clear() {
    parts_.clear();
    bytes_ = 0;
  }
  /// Up to kMostBytes in all.
  void add(const std::vector<ByteRange>& parts);
  /// The first byte that is another one now.
  std::optional<uint64_t> changed() const;

 private:
  static constexpr size_t kMostBytes = size_t{64} << 10;
  struct Part {
    ByteRange range;
    std::vector<uint8_t> bytes;
  };

  const DeviceMemory& memory_;
  std::vector<Part> parts_;
  size_t bytes_ = 0;
};

/// Whether host and devices see the memory there.
bool is_host_mapped(uint64_t address);

}  // namespace warpgrade::emulator
