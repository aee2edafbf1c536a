// SPDX-License-Identifier: MIT
#include "emulator/memory/device_heap.h"

#include <algorithm>
#include <iterator>

#include "emulator/memory/address_space.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

Sentence quoted(size_t bytes) { return say("allocation.in_kernel", {{"bytes", bytes}}); }

}  // namespace

DeviceHeap::DeviceHeap(uint64_t begin, size_t capacity, size_t range_bytes)
    : begin_(begin), capacity_(capacity), roomy_(range_bytes > capacity) {
  const size_t head =
      range_bytes / 2 > capacity ? std::min(kMostGapBytes, range_bytes - 2 * capacity) : 0;
  const uint64_t first = round_up(begin + head, kAlignment);
  free_[first] = std::max(range_bytes, capacity) - (first - begin);
}

bool DeviceHeap::is_in_use() const {
  const std::lock_guard lock(mutex_);
  return is_in_use_;
}

DeviceHeap::Taken DeviceHeap::taken() const {
  const std::lock_guard lock(mutex_);
  Taken taken{taken_.size(), 0};
  for (const auto& [address, block] : taken_) taken.bytes += block.asked;
  return taken;
}

uint64_t DeviceHeap::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  is_in_use_ = true;
  if (bytes == 0 || bytes > SIZE_MAX - kAlignment) return 0;
  const size_t wanted = round_up(bytes, kAlignment);
  if (wanted > capacity_ - used_) return 0;
  size_t reserved = wanted + (roomy_ ? std::min(wanted, kMostGapBytes) : 0);
  uint64_t address = place(reserved);
  while (address == 0 && !freed_.empty()) {
    release(freed_.front().begin, freed_.front().block.reserved);
    freed_.pop_front();
    address = place(reserved);
  }
  if (address == 0 && reserved != wanted) address = place(reserved = wanted);
  if (address == 0) return 0;
  used_ += wanted;
  taken_[address] = {bytes, reserved};
  return address;
}

/// The first free range that has room; 0 where none has.
uint64_t DeviceHeap::place(size_t reserved) {
  const auto found = std::find_if(free_.begin(), free_.end(),
                                  [&](const auto& range) { return range.second >= reserved; });
  if (found == free_.end()) return 0;
  const auto [address, length] = *found;
  free_.erase(found);
  if (length > reserved) free_[address + reserved] = length - reserved;
  return address;
}

bool DeviceHeap::give_back(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(address);
  if (found == taken_.end()) return false;
  const Block block = found->second;
  taken_.erase(found);
  used_ -= round_up(block.asked, kAlignment);
  if (roomy_)
    freed_.push_back({address, block});
  else
    release(address, block.reserved);
  return true;
}

void DeviceHeap::release(uint64_t begin, size_t reserved) {
  auto range = free_.emplace(begin, reserved).first;
  const auto next = std::next(range);
  if (next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range == free_.begin()) return;
  const auto previous = std::prev(range);
  if (previous->first + previous->second != range->first) return;
  previous->second += range->second;
  free_.erase(range);
}

bool DeviceHeap::is_taken(uint64_t address, size_t bytes) const {
  const auto after = taken_.upper_bound(address);
  if (after == taken_.begin()) return false;
  const auto& [begin, block] = *std::prev(after);
  return bytes <= block.asked && address - begin <= block.asked - bytes;
}

std::optional<DeviceHeap::Extent> DeviceHeap::block_at(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  if (!is_taken(address, 1)) return std::nullopt;
  const auto& [begin, block] = *std::prev(taken_.upper_bound(address));
  return Extent{begin, block.asked};
}

bool DeviceHeap::holds(uint64_t address, size_t bytes) const {
  const std::lock_guard lock(mutex_);
  return is_taken(address, bytes);
}

uint64_t DeviceHeap::first_outside(uint64_t address, size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const uint64_t end = address + bytes;
  while (address < end && is_taken(address, 1)) ++address;
  return address;
}

const DeviceHeap::Freed* DeviceHeap::find_freed(uint64_t address) const {
  const auto found = std::find_if(freed_.rbegin(), freed_.rend(), [&](const Freed& freed) {
    return address - freed.begin < freed.block.asked;
  });
  return found == freed_.rend() ? nullptr : &*found;
}

size_t DeviceHeap::freed_bytes(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const Freed* const freed = find_freed(address);
  return freed != nullptr && freed->begin == address ? freed->block.asked : 0;
}

Sentence DeviceHeap::describe(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  const auto after = taken_.upper_bound(address);
  const auto below = after == taken_.begin() ? taken_.end() : std::prev(after);
  if (below != taken_.end() && address - below->first < below->second.asked)
    return say("where.into",
               {{"bytes", address - below->first}, {"allocation", quoted(below->second.asked)}});
  if (const Freed* const freed = find_freed(address)) {
    const uint64_t offset = address - freed->begin;
    const Sentence block = quoted(freed->block.asked);
    return say(
        "where.freed",
        {{"where", offset == 0 ? say("where.start", {{"allocation", block}})
                               : say("where.into", {{"bytes", offset}, {"allocation", block}})}});
  }
  constexpr uint64_t kFar = ~uint64_t{0};
  const uint64_t past = below == taken_.end() ? kFar : address - below->first - below->second.asked;
  const uint64_t before = after == taken_.end() ? kFar : after->first - address;
  if (past == kFar && before == kFar) return say("where.empty_heap");
  if (before < past)
    return say("where.before", {{"bytes", before}, {"allocation", quoted(after->second.asked)}});
  const Sentence block = quoted(below->second.asked);
  return past == 0 ? say("where.right_past", {{"allocation", block}})
                   : say("where.past", {{"bytes", past}, {"allocation", block}});
}

}  // namespace warpgrade::emulator
