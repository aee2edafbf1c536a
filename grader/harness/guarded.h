// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/npy_io.h"

namespace warpgrade::harness {

/// Host memory that a student's function fills: `count` elements of poison (bytes of 0xFF: NaN as a
/// float, -1 as an int) between guards that nobody may touch. Aligned as malloc aligns.
template <class T>
class Guarded {
 public:
  explicit Guarded(size_t count)
      : count_(count), bytes_(2 * kGuardBytes + count * sizeof(T), kForeign) {
    std::fill(bytes_.begin() + kGuardBytes, bytes_.end() - kGuardBytes, kPoison);
  }
  explicit Guarded(const std::vector<T>& values) : Guarded(values.size()) { assign(values); }

  T* data() { return reinterpret_cast<T*>(bytes_.data() + kGuardBytes); }
  size_t size() const { return count_; }

  void assign(const std::vector<T>& values) {
    if (values.size() != count_) npy_io::fail("in/", "an array has another size than expected");
    if (count_ > 0) std::memcpy(data(), values.data(), count_ * sizeof(T));
  }

  std::vector<T> values() const {
    std::vector<T> copy(count_);
    if (count_ > 0) std::memcpy(copy.data(), bytes_.data() + kGuardBytes, count_ * sizeof(T));
    return copy;
  }

  /// Whether both guards are as they were.
  bool untouched() const {
    const auto is_foreign = [](unsigned char byte) { return byte == kForeign; };
    return std::all_of(bytes_.begin(), bytes_.begin() + kGuardBytes, is_foreign) &&
           std::all_of(bytes_.end() - kGuardBytes, bytes_.end(), is_foreign);
  }

 private:
  static constexpr std::ptrdiff_t kGuardBytes = 64;
  static constexpr unsigned char kPoison = 0xFF;
  // Unlike what fresh device memory holds, so that a copy of too much shows.
  static constexpr unsigned char kForeign = 0xA7;

  size_t count_;
  std::vector<unsigned char> bytes_;
};

}  // namespace warpgrade::harness
