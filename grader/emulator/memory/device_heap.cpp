// SPDX-License-Identifier: MIT
#include "emulator/memory/device_heap.h"

#include <algorithm>
#include <iterator>

#include "emulator/memory/address_space.h"

namespace warpgrade::emulator {

DeviceHeap::DeviceHeap(uint64_t begin, size_t bytes) : begin_(begin) { free_[begin] = bytes; }

uint64_t DeviceHeap::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > SIZE_MAX - kAlignment) return 0;
  const size_t wanted = round_up(bytes, kAlignment);
  const auto found = std::find_if(free_.begin(), free_.end(),
                                  [&](const auto& range) { return range.second >= wanted; });
  if (found == free_.end()) return 0;
  const auto [address, length] = *found;
  free_.erase(found);
  if (length > wanted) free_[address + wanted] = length - wanted;
  taken_[address] = wanted;
  return address;
}

bool DeviceHeap::give_back(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(address);
  if (found == taken_.end()) return false;
  auto range = free_.emplace(address, found->second).first;
  taken_.erase(found);
  const auto next = std::next(range);
  if (next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range != free_.begin()) {
    const auto previous = std::prev(range);
    if (previous->first + previous->second == range->first) {
      previous->second += range->second;
      free_.erase(range);
    }
  }
  return true;
}

}  // namespace warpgrade::emulator
