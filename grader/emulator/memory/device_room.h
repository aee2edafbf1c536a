// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace warpgrade::emulator {

/// How much of a device's memory its live allocations take, in the units of an H200 (driver 580):
/// allocations above 1 MiB take whole units of 2 MiB; smaller ones take units of 512 bytes and share
/// units of 2 MiB.
class DeviceRoom {
 public:
  explicit DeviceRoom(size_t total_bytes) : total_bytes_(total_bytes) {}

  size_t total_bytes() const { return total_bytes_; }
  size_t free_bytes() const { return total_bytes_ - used(small_bytes_, large_bytes_); }
  bool has_room_for(size_t bytes) const {
    return bytes <= total_bytes_ &&
           used(small_bytes_ + small(bytes), large_bytes_ + large(bytes)) <= total_bytes_;
  }
  void take(size_t bytes) {
    small_bytes_ += small(bytes);
    large_bytes_ += large(bytes);
  }
  void give_back(size_t bytes) {
    small_bytes_ -= small(bytes);
    large_bytes_ -= large(bytes);
  }

 private:
  static constexpr size_t kLargestSmall = size_t{1} << 20;
  static constexpr size_t kSmallUnit = 512;
  static constexpr size_t kLargeUnit = size_t{2} << 20;

  static size_t rounded(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }
  static size_t small(size_t bytes) {
    return bytes <= kLargestSmall ? rounded(bytes, kSmallUnit) : 0;
  }
  static size_t large(size_t bytes) {
    return bytes <= kLargestSmall ? 0 : rounded(bytes, kLargeUnit);
  }
  static size_t used(size_t small_bytes, size_t large_bytes) {
    return rounded(small_bytes, kLargeUnit) + large_bytes;
  }

  size_t total_bytes_;
  size_t small_bytes_ = 0, large_bytes_ = 0;
};

}  // namespace warpgrade::emulator
