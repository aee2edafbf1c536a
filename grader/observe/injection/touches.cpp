// SPDX-License-Identifier: MIT
#include "observe/injection/touches.h"

#include <algorithm>
#include <cstring>

namespace warpgrade::injection {
namespace {

bool differ(const Snapshot& snapshot, uint64_t offset, uint64_t bytes) {
  const uint64_t size = std::min(snapshot.before.size(), snapshot.after.size());
  if (offset >= size) return false;
  return std::memcmp(snapshot.before.data() + offset, snapshot.after.data() + offset,
                     std::min(bytes, size - offset)) != 0;
}

}  // namespace

std::vector<LiveMemory> reachable_from(const std::vector<std::string>& parameters,
                                       const LiveAllocations& live) {
  std::vector<LiveMemory> found;
  for (const std::string& parameter : parameters) {
    for (size_t at = 0; at + sizeof(uint64_t) <= parameter.size(); at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, parameter.data() + at, sizeof word);
      const std::optional<LiveMemory> memory = live.holding(word);
      const bool is_new =
          memory && std::none_of(found.begin(), found.end(),
                                 [&](const LiveMemory& known) { return known.ptr == memory->ptr; });
      if (is_new) found.push_back(*memory);
    }
  }
  return found;
}

Json touch_of(const Snapshot& snapshot) {
  const LiveMemory& memory = snapshot.memory;
  bool written = false, padding_written = false;
  for (uint64_t row = 0; row < memory.rows; ++row) {
    const uint64_t offset = row * memory.pitch;
    written = written || differ(snapshot, offset, memory.width);
    padding_written =
        padding_written || differ(snapshot, offset + memory.width, memory.pitch - memory.width);
  }
  return {{"ptr", memory.ptr},
          {"read", !written},
          {"written", written},
          {"padding_read", false},
          {"padding_written", padding_written}};
}

}  // namespace warpgrade::injection
