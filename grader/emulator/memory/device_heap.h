// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "base/sentence.h"

namespace warpgrade::emulator {

/// What malloc and free in kernels work on: one range of a device's memory, cut up. Kernels of one
/// launch may call from several threads.
///
/// Where the range is longer than what may be taken, blocks lie apart, by as much as they are long
/// and at most kMostGapBytes, and a freed block's bytes come back as late as possible, so that
/// accesses beside blocks and to freed ones are seen. A range of twice the capacity has room for
/// that; where it gets narrow, gaps and freed bytes are given out before take() fails.
class DeviceHeap {
 public:
  static constexpr size_t kAlignment = 16;
  static constexpr size_t kMostGapBytes = 256;

  /// `capacity` bytes may be taken out of the `range_bytes` from `begin` on; 0: out of as many.
  DeviceHeap(uint64_t begin, size_t capacity, size_t range_bytes = 0);

  uint64_t begin() const { return begin_; }
  /// The address of `bytes` free bytes; 0 where there are none, or none were asked for.
  uint64_t take(size_t bytes);
  /// False where `address` is no block that take() returned and that is still taken.
  bool give_back(uint64_t address);
  /// Whether a kernel has asked for memory.
  bool is_in_use() const;
  /// The blocks that no kernel has given back, and the bytes that were asked for.
  struct Taken {
    size_t blocks = 0, bytes = 0;
  };
  Taken taken() const;

  /// The block that holds the address; empty where it lies in none that is taken.
  struct Extent {
    uint64_t begin;
    size_t bytes;
  };
  std::optional<Extent> block_at(uint64_t address) const;
  /// Whether all the bytes lie in one block that is taken.
  bool holds(uint64_t address, size_t bytes) const;
  /// Calls visit(holds) with a holds(address, bytes) that takes no lock of its own.
  template <class Visit>
  void look(Visit visit) const {
    const std::lock_guard lock(mutex_);
    visit([&](uint64_t address, size_t bytes) { return is_taken(address, bytes); });
  }
  /// The first of the bytes that no block holds.
  uint64_t first_outside(uint64_t address, size_t bytes) const;
  /// Where an address is that no block holds: "4 bytes past the end of the 64-byte allocation made
  /// by malloc or new in a kernel".
  Sentence describe(uint64_t address) const;
  /// The size of the freed block that began there and that nothing has taken since, or 0.
  size_t freed_bytes(uint64_t address) const;

 private:
  struct Block {
    size_t asked = 0, reserved = 0;  ///< bytes
  };
  struct Freed {
    uint64_t begin;
    Block block;
  };

  uint64_t place(size_t reserved);
  void release(uint64_t begin, size_t reserved);
  bool is_taken(uint64_t address, size_t bytes) const;
  const Freed* find_freed(uint64_t address) const;

  uint64_t begin_;
  size_t capacity_, used_ = 0;
  bool roomy_;  ///< blocks lie apart
  bool is_in_use_ = false;
  mutable std::mutex mutex_;
  std::map<uint64_t, size_t> free_;  ///< Address to length; neighbours are merged.
  std::map<uint64_t, Block> taken_;
  std::deque<Freed> freed_;  ///< Not yet to be taken again, oldest first.
};

}  // namespace warpgrade::emulator
