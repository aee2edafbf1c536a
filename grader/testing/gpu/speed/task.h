// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What speed.cu and the libraries that it loads have in common. Each library holds one model answer,
// or other answer, as its author wrote it, and a file of this folder that offers calls of its
// functions as tasks.

namespace warpgrade::speed {

/// A number from -1 to 1 for place i of an array, the same on host and device.
constexpr float value_at(unsigned seed, size_t i) {
  uint32_t bits = static_cast<uint32_t>(i) * 2654435761u + seed * 40503u + 1u;
  bits ^= bits >> 15;
  bits *= 2246822519u;
  bits ^= bits >> 13;
  return static_cast<float>(bits >> 8) / 8388608.0f - 1.0f;
}

/// Kinds of data for histograms: any byte; one value; one of two; letters, of which some are common;
/// any byte, in runs of 64.
enum class Family { kUniform, kEqual, kTwo, kText, kRuns };

constexpr uint8_t byte_at(Family family, size_t i) {
  const auto any = [](size_t place) {
    return static_cast<uint8_t>((value_at(7, place) + 1.0f) * 128.0f);
  };
  switch (family) {
    case Family::kUniform:
      return any(i);
    case Family::kEqual:
      return 42;
    case Family::kTwo:
      return any(i) < 128 ? 42 : 43;
    case Family::kText: {  // as a square, so that the first letters come often
      const int byte = any(i);
      return static_cast<uint8_t>('a' + byte * byte * 26 / 65536);
    }
    case Family::kRuns:
      return any(i / 64);
  }
  return 0;
}

/// Device and page-locked host memory that the tasks of a group share.
class Memory {
 public:
  virtual ~Memory() = default;

  /// The same memory for the same `which`, at least `bytes` long.
  virtual void* device(int which, size_t bytes) = 0;
  virtual void* host(int which, size_t bytes) = 0;

  /// to[i] = value_at(seed, i), or byte_at(family, i); `to` is of either kind.
  virtual void fill(float* to, size_t count, unsigned seed) = 0;
  virtual void fill(uint8_t* to, size_t count, Family family) = 0;
  virtual void poison(void* to, size_t bytes) = 0;

  /// One element of device memory.
  virtual float read(const float* from, size_t i) = 0;

  /// The first `count` values of the two seeds give: the products' sum, the sum of their sizes, and how
  /// many pairs lie in the unit circle.
  struct Pairs {
    double products, sizes;
    unsigned long long inside;
  };
  virtual Pairs pairs(size_t count, unsigned seed_a, unsigned seed_b) = 0;

  /// The histogram of byte_at(family, 0 .. count - 1).
  virtual const std::vector<unsigned>& byte_counts(size_t count, Family family) = 0;
};

/// Sizes that an emulated device runs in a second, those at which a grader with a GPU may time cases,
/// and those far beyond the caches.
enum class Size { kSmall, kGraded, kLarge };

struct Setting {
  Size size;
  bool all;           ///< every function, not only those whose speed is judged
  std::string group;  ///< what a library of limits is asked for
  Memory& memory;

  bool small() const { return size == Size::kSmall; }
  template <class T>
  T choose(T for_small, T for_graded, T for_large) const {
    return small() ? for_small : size == Size::kGraded ? for_graded : for_large;
  }
};

struct Task {
  std::string name;
  double bytes, flop;  ///< that one call cannot do without; 0 where that is no measure
  std::function<void()> call;
  std::function<void()> poison;    ///< what `is_right` looks at
  std::function<bool()> is_right;  ///< after a call
};

/// Whether `right` holds in a thousand places of `count`, the first and the last one among them.
template <class Right>
bool holds_in_places(size_t count, const Right& right) {
  constexpr size_t kPlaces = 1000;
  const size_t step = count <= kPlaces ? 1 : (count / kPlaces) | 1;
  for (size_t i = 0; i < count; i += step) {
    if (!right(i)) return false;
  }
  return count == 0 || right(count - 1);
}

/// How far a float sum of n terms may lie from the exact one, relative to the sum of their sizes.
inline double sum_tolerance(size_t n) {
  return 8.0 * std::sqrt(static_cast<double>(n)) * std::ldexp(1.0, -24);
}

/// Whether that many of `count` points may have been found in the circle: on its very edge a sum that
/// is rounded once less goes the other way.
inline bool may_be_inside(unsigned long long found, const Memory::Pairs& pairs, size_t count) {
  const auto more = static_cast<double>(found) - static_cast<double>(pairs.inside);
  return std::fabs(more) <= static_cast<double>(count / 1000000);
}

}  // namespace warpgrade::speed

/// What each library exports under this name. It appends its tasks.
extern "C" [[gnu::visibility("default")]] void offer_tasks(
    const warpgrade::speed::Setting& setting, std::vector<warpgrade::speed::Task>& tasks);
