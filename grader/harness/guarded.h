// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "base/npy_io.h"
#include "harness/registered.h"

namespace warpgrade::harness {

/// Host memory that a student's function fills: `count` elements of poison (bytes of 0xFF: NaN as a
/// float, -1 as an int) between guards that nobody may touch. Aligned as malloc aligns.
template <class T>
class Guarded {
 public:
  explicit Guarded(size_t count) : Guarded(count, nullptr) {}
  explicit Guarded(const std::vector<T>& values) : Guarded(values.size(), values.data()) {}

  T* data() { return reinterpret_cast<T*>(bytes_.get() + kGuardBytes); }
  size_t size() const { return count_; }

  void assign(const std::vector<T>& values) {
    if (values.size() != count_) npy_io::fail("in/", "an array has another size than expected");
    if (count_ > 0) std::memcpy(data(), values.data(), count_ * sizeof(T));
  }

  std::vector<T> values() const {
    std::vector<T> copy(count_);
    if (count_ > 0) std::memcpy(copy.data(), bytes_.get() + kGuardBytes, count_ * sizeof(T));
    return copy;
  }

  /// Whether both guards are as they were.
  bool untouched() const {
    const auto is_foreign = [](unsigned char byte) { return byte == kForeign; };
    const unsigned char* const behind = bytes_.get() + kGuardBytes + count_ * sizeof(T);
    return std::all_of(bytes_.get(), bytes_.get() + kGuardBytes, is_foreign) &&
           std::all_of(behind, behind + kGuardBytes, is_foreign);
  }

 private:
  static constexpr size_t kGuardBytes = 64;
  static constexpr unsigned char kPoison = 0xFF;
  // Unlike what fresh device memory holds, so that a copy of too much shows.
  static constexpr unsigned char kForeign = 0xA7;

  /// Each byte is written once, as arrays of timed cases are large.
  Guarded(size_t count, const T* values)
      : count_(count), bytes_(new unsigned char[2 * kGuardBytes + count * sizeof(T)]) {
    std::memset(bytes_.get(), kForeign, kGuardBytes);
    std::memset(bytes_.get() + kGuardBytes + count * sizeof(T), kForeign, kGuardBytes);
    if (values == nullptr) {
      std::memset(bytes_.get() + kGuardBytes, kPoison, count * sizeof(T));
    } else {
      std::memcpy(bytes_.get() + kGuardBytes, values, count * sizeof(T));
    }
  }

  struct Release {
    void operator()(unsigned char* bytes) const {
      give_back_registration(bytes + kGuardBytes);
      delete[] bytes;
    }
  };

  size_t count_;
  std::unique_ptr<unsigned char[], Release> bytes_;
};

}  // namespace warpgrade::harness
