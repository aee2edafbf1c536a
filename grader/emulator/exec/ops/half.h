// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/exec/ops/ops.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

/// IEEE 754 binary16, kept as its bits.
struct Half {
  static constexpr int kMantissaBits = 10, kBias = 15;
  uint16_t bits;
};
/// bfloat16, kept as its bits.
struct Bfloat {
  static constexpr int kMantissaBits = 7, kBias = 127;
  uint16_t bits;
};
/// Two in one register, the lower first.
template <class T>
struct Pair {
  T elements[2];
};

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;
template <class T>
constexpr bool kIsPair = std::is_same_v<T, Pair<Half>> || std::is_same_v<T, Pair<Bfloat>>;

/// Exact.
inline float to_float(Half half) {
  const uint32_t sign = static_cast<uint32_t>(half.bits & 0x8000) << 16;
  const uint32_t exponent = half.bits >> 10 & 0x1F, mantissa = half.bits & 0x3FF;
  if (exponent == 0x1F) {
    return std::bit_cast<float>(mantissa != 0 ? 0x7FFF'FFFFu : sign | 0x7F80'0000u);
  }
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
}
inline float to_float(Bfloat value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

/// How narrow() rounds, numbered as the modes of cvt are.
enum Rounding : uint8_t { kToNearest, kTowardsZero, kDownwards, kUpwards };

/// Rounds once from a double; every NaN becomes 0x7FFF.
template <class T>
inline T narrow(double value, unsigned rounding = kToNearest) {
  constexpr int kMantissa = T::kMantissaBits, kLowest = 1 - T::kBias;
  constexpr auto kInfinity = static_cast<uint64_t>(0x7FFF >> kMantissa << kMantissa);
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = bits >> 48 & 0x8000;
  if (value != value) return {0x7FFF};
  if (value == 0) return {static_cast<uint16_t>(sign)};
  const bool away = rounding == (sign != 0 ? kDownwards : kUpwards);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  if (exponent > T::kBias) {
    const bool infinite = exponent == 1024 || rounding == kToNearest || away;
    return {static_cast<uint16_t>(sign | (kInfinity - (infinite ? 0 : 1)))};
  }
  const uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const int below = exponent >= kLowest ? 0 : kLowest - exponent;
  // From 54 on, all of the significand is less than half a step.
  const int dropped = below > 2 + kMantissa ? 54 : 52 - kMantissa + below;
  uint64_t kept = significand >> dropped;
  const uint64_t rest = significand & ((uint64_t{1} << dropped) - 1),
                 half = uint64_t{1} << (dropped - 1);
  const bool nearest_up = rest > half || (rest == half && (kept & 1) != 0);
  if (rounding == kToNearest ? nearest_up : away && rest != 0) ++kept;
  // A carry out of the significand moves into the exponent by itself.
  if (below == 0) kept += static_cast<uint64_t>(exponent - kLowest) << kMantissa;
  return {static_cast<uint16_t>(sign | kept)};
}

/// a + b rounded to odd: a later rounding to fewer bits then gives what one rounding would have.
inline double sum_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - a, error = (a - (sum - part)) + (b - part);
  const uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// Denormals become zeros of the same sign.
template <class T>
inline T flush_half(T value) {
  constexpr uint16_t kExponent = 0x7FFF >> T::kMantissaBits << T::kMantissaBits;
  return (value.bits & kExponent) == 0 ? T{static_cast<uint16_t>(value.bits & 0x8000)} : value;
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
