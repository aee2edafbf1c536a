// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/exec/ops/ops.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

/// IEEE 754 binary16, kept as its bits.
struct Half {
  uint16_t bits;
};

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

/// Rounds to nearest even, or towards zero. Takes a double so that f64 sources round once.
inline Half to_half(double value, bool towards_zero) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 48 & 0x8000);
  if (value != value) return {0x7FFF};
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  if (exponent > 15) {
    const bool infinite = exponent == 1024 || !towards_zero;
    return {static_cast<uint16_t>(sign | (infinite ? 0x7C00 : 0x7BFF))};
  }
  if (exponent < -26) return {sign};
  const uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const int dropped = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  uint64_t kept = significand >> dropped;
  const uint64_t rest = significand & ((uint64_t{1} << dropped) - 1),
                 half = uint64_t{1} << (dropped - 1);
  if (!towards_zero && (rest > half || (rest == half && (kept & 1) != 0))) ++kept;
  // A carry out of the significand moves into the exponent by itself.
  const uint64_t biased =
      exponent >= -14 ? (static_cast<uint64_t>(exponent + 14) << 10) + kept : kept;
  return {static_cast<uint16_t>(sign | biased)};
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
