// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace warpgrade::emulator {

/// What malloc and free in kernels work on: one range of a device's memory, cut up. Kernels of one
/// launch may call from several threads.
class DeviceHeap {
 public:
  static constexpr size_t kAlignment = 16;

  DeviceHeap(uint64_t begin, size_t bytes);

  uint64_t begin() const { return begin_; }
  /// The address of `bytes` free bytes; 0 where there are none, or none were asked for.
  uint64_t take(size_t bytes);
  /// False where `address` is no block that take() returned and that is still taken.
  bool give_back(uint64_t address);

 private:
  uint64_t begin_;
  std::mutex mutex_;
  std::map<uint64_t, size_t> free_;  ///< Address to length; neighbours are merged.
  std::map<uint64_t, size_t> taken_;
};

}  // namespace warpgrade::emulator
