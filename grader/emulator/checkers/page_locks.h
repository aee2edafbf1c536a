// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include "emulator/checkers/watch.h"
#include "emulator/exec/warp_size.h"

namespace warpgrade::emulator {

/// Locks the pages of cells that an access of a warp lies in, where several workers share them. All workers take them in
/// one order.
class PageLocks {
 public:
  explicit PageLocks(LaunchWatch& watch) : flags_(watch.page_locks) {}
  ~PageLocks() {
    for (size_t k = 0; k < held_; ++k) flags_[numbers_[k]].clear(std::memory_order_release);
  }
  PageLocks(const PageLocks&) = delete;
  PageLocks& operator=(const PageLocks&) = delete;

  /// Before lock(); for the first and the last cell of each lane.
  void add(const Cell* cell) {
    const auto number =
        static_cast<uint16_t>((reinterpret_cast<uintptr_t>(cell) >> 12) % flags_.size());
    if (count_ == 0 || numbers_[count_ - 1] != number) numbers_[count_++] = number;
  }
  void lock() {
    const auto end = numbers_.begin() + static_cast<ptrdiff_t>(count_);
    std::sort(numbers_.begin(), end);
    count_ = static_cast<size_t>(std::unique(numbers_.begin(), end) - numbers_.begin());
    for (; held_ < count_; ++held_) {
      while (flags_[numbers_[held_]].test_and_set(std::memory_order_acquire)) {
      }
    }
  }

 private:
  decltype(LaunchWatch::page_locks)& flags_;
  size_t count_ = 0, held_ = 0;
  std::array<uint16_t, 2 * kWarpSize> numbers_;
};

}  // namespace warpgrade::emulator
