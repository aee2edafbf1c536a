// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9.21, cvt: pairs of the 8-bit floats e4m3 and e5m2.

#include <algorithm>
#include <cmath>

#include "emulator/exec/ops/half.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

/// Four bits of exponent, no infinities, one NaN.
struct E4m3 {
  static constexpr int kMantissaBits = 3, kBias = 7;
  static constexpr double kGreatest = 448;
  static constexpr uint32_t kGreatestBits = 0x7E;
};
/// The upper byte of an f16.
struct E5m2 {
  static constexpr int kMantissaBits = 2, kBias = 15;
  static constexpr double kGreatest = 57344;
  static constexpr uint32_t kGreatestBits = 0x7B;
};

/// Rounds to nearest even; what is too great, infinities too, becomes the greatest (.satfinite).
template <class Format>
uint32_t to_byte(double value, bool relu) {
  if (value != value) return 0x7F;
  if (relu && value <= 0) return 0;
  const uint32_t sign = std::signbit(value) ? 0x80 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= Format::kGreatest) return sign | Format::kGreatestBits;
  constexpr int kLowest = 1 - Format::kBias;
  const int exponent = magnitude == 0 ? kLowest : std::max(std::ilogb(magnitude), kLowest);
  const double steps = std::nearbyint(std::ldexp(magnitude, Format::kMantissaBits - exponent));
  // A carry out of the significand moves into the exponent by itself.
  return sign | (static_cast<uint32_t>(steps) +
                 (static_cast<uint32_t>(exponent - kLowest) << Format::kMantissaBits));
}

/// Exact.
template <class Format>
Half to_half(uint32_t byte, bool relu) {
  const bool nan = (byte & 0x7F) == 0x7F;
  if (relu && !nan && (byte & 0x80) != 0) return {0};
  if constexpr (std::is_same_v<Format, E5m2>) {
    return {static_cast<uint16_t>((byte & 0x7F) > 0x7C ? 0x7FFF : byte << 8)};
  } else {
    if (nan) return {0x7FFF};
    const uint32_t field = byte >> 3 & 0xF, mantissa = byte & 7;
    const double magnitude = field == 0 ? std::ldexp(mantissa, 1 - E4m3::kBias - 3)
                                        : std::ldexp(8 + mantissa, static_cast<int>(field) - 7 - 3);
    return narrow<Half>((byte & 0x80) != 0 ? -magnitude : magnitude);
  }
}

/// a is the upper element of the result.
template <class Format>
void from_floats(Warp& warp, const Instruction& i) {
  const float *a = warp.reg<float>(i.a), *b = warp.reg<float>(i.b);
  for_each_lane(warp.mask, [&](int lane) {
    warp.reg<uint16_t>(i.d)[lane] =
        static_cast<uint16_t>(to_byte<Format>(static_cast<double>(a[lane]), i.mode != 0) << 8 |
                              to_byte<Format>(static_cast<double>(b[lane]), i.mode != 0));
  });
}

template <class Format>
void from_halves(Warp& warp, const Instruction& i) {
  for_each_lane(warp.mask, [&](int lane) {
    const Pair<Half> pair = warp.reg<Pair<Half>>(i.a)[lane];
    const auto byte = [&](Half half) {
      return to_byte<Format>(static_cast<double>(to_float(half)), i.mode != 0);
    };
    warp.reg<uint16_t>(i.d)[lane] =
        static_cast<uint16_t>(byte(pair.elements[1]) << 8 | byte(pair.elements[0]));
  });
}

template <class Format>
void to_halves(Warp& warp, const Instruction& i) {
  for_each_lane(warp.mask, [&](int lane) {
    const uint32_t bytes = warp.reg<uint16_t>(i.a)[lane];
    warp.reg<Pair<Half>>(i.d)[lane] = {to_half<Format>(bytes & 0xFF, i.mode != 0),
                                       to_half<Format>(bytes >> 8, i.mode != 0)};
  });
}

template <class Format>
void decode(Decoder& decoder, const ptx::Instruction& from, Instruction& into, bool is_source) {
  into.mode = from.has("relu");
  if (is_source) {
    require(from.has("f16x2") && from.has("rn"), from);
    into.run = to_halves<Format>;
    return unary_operands(decoder, from, into, Type::b16);
  }
  require(from.has("satfinite") && from.has("rn"), from);
  if (from.has("f16x2")) {
    into.run = from_halves<Format>;
    return unary_operands(decoder, from, into, Type::b32);
  }
  require(from.has("f32"), from);
  into.run = from_floats<Format>;
  binary_operands(decoder, from, into, Type::f32);
}

}  // namespace

bool decode_cvt_fp8(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const std::string_view last = from.modifiers.empty() ? "" : from.modifiers.back();
  if (from.has("e4m3x2")) {
    decode<E4m3>(decoder, from, into, last == "e4m3x2");
  } else if (from.has("e5m2x2")) {
    decode<E5m2>(decoder, from, into, last == "e5m2x2");
  } else {
    return false;
  }
  return true;
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
