// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "check/oracle.h"

namespace warpgrade {

/// Whole numbers from `low` to `high`, as floats. Products of numbers up to 8 sum up exactly in float,
/// in any order, while the sum stays below 2^24.
inline std::vector<float> integers(size_t count, long low, long high, SeededRandom& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.integer(low, high));
  return values;
}

/// Whole numbers from -8 to 8 without 0, so that an element or a term that is left out always shows, also where it is the
/// only one.
inline std::vector<float> nonzero_integers(size_t count, SeededRandom& random) {
  std::vector<float> values = integers(count, -8, 7, random);
  for (float& value : values) value += value < 0 ? 0.0f : 1.0f;
  return values;
}

/// Odd whole numbers of 12 bits, of either sign, which neither half precision nor TF32 can hold. Products of them and
/// nonzero_integers() sum up exactly in float, where there are some hundreds: the signs keep the sums far below 2^24.
inline std::vector<float> wide_integers(size_t count, SeededRandom& random) {
  std::vector<float> values = integers(count, -1024, 1023, random);
  for (float& value : values) value = value < 0 ? 2 * value - 2047 : 2 * value + 2049;
  return values;
}

/// Numbers in [0, 1) that use all of a float's bits, so that less precision shows.
inline std::vector<float> uniform(size_t count, SeededRandom& random) {
  std::vector<float> values(count);
  for (float& value : values) value = random.uniform();
  return values;
}

/// 1, 2, 3, ...: a wrong element tells where it was read. Exact up to 2^24 elements.
inline std::vector<float> positions(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i + 1);
  return values;
}

}  // namespace warpgrade
