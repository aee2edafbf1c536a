// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9.21, cvt: between integers, f16, f32 and f64.

#include <algorithm>
#include <cfenv>
#include <utility>

#include "emulator/exec/ops/half.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

// Those of 8-bit floats, in convert_fp8.cpp; false for any other.
bool decode_cvt_fp8(Decoder& decoder, const ptx::Instruction& from, Instruction& into);

namespace {

/// How a conversion rounds; the first five are also how a float becomes an integral float.
enum Mode : uint8_t {
  kNearest,
  kZero,
  kDown,
  kUp,
  kIntegral = 4,
  kSaturate = 8,
  kFlush = 16,
  kRelu = 32
};

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsHalf<T>;

template <class T>
T integral(T value, uint8_t mode) {
  switch (mode & 3) {
    case kZero:
      return std::trunc(value);
    case kDown:
      return std::floor(value);
    case kUp:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

/// PTX ISA: NaN becomes 0, or the top bit alone where either side is 64 bits wide. Values out of
/// range clamp.
template <class D, class S>
D to_integer(S value, uint8_t mode) {
  using Limits = std::numeric_limits<D>;
  if (value != value) {
    constexpr bool kWide = sizeof(S) == 8 || sizeof(D) == 8;
    return kWide ? static_cast<D>(std::make_unsigned_t<D>{1} << (8 * sizeof(D) - 1)) : D{0};
  }
  const S whole = integral(value, mode);
  // 2^n is exact in S; the greatest D itself may not be.
  const S limit = std::ldexp(S(1), 8 * sizeof(D) - (std::is_signed_v<D> ? 1 : 0));
  if (whole >= limit) return Limits::max();
  if (whole < static_cast<S>(Limits::min())) return Limits::min();
  return static_cast<D>(whole);
}

template <class D, class S>
D clamped(S value) {
  if (std::cmp_less(value, std::numeric_limits<D>::min())) return std::numeric_limits<D>::min();
  if (std::cmp_greater(value, std::numeric_limits<D>::max())) return std::numeric_limits<D>::max();
  return static_cast<D>(value);
}

template <class T>
T flushed(T value, uint8_t mode) {
  if constexpr (std::is_same_v<T, float>) {
    if ((mode & kFlush) != 0) return flush(value);
  }
  return value;
}

/// Rounded to odd, so that rounding to fewer bits afterwards is right.
template <class S>
double widened(S source) {
  if constexpr (!std::is_integral_v<S> || sizeof(S) < 8) {
    return static_cast<double>(source);
  } else {
    const bool negative = std::is_signed_v<S> && source < S{0};
    uint64_t magnitude =
        negative ? 0 - static_cast<uint64_t>(source) : static_cast<uint64_t>(source);
    constexpr uint64_t kLow = 0x7FF;
    if (magnitude >> 53 != 0 && (magnitude & kLow) != 0)
      magnitude = (magnitude & ~kLow) | (kLow + 1);
    const double result = static_cast<double>(magnitude);
    return negative ? -result : result;
  }
}

template <class D, class S>
D narrowed_half(S source, uint8_t mode) {
  double value = widened(flushed(source, mode));
  if ((mode & kIntegral) != 0) value = integral(value, mode);
  if ((mode & kSaturate) != 0) value = saturate(value);
  if ((mode & kRelu) != 0 && value <= 0) value = 0;
  return narrow<D>(value, (mode & kIntegral) != 0 ? 0u : mode & 3u);
}

template <class D, class S>
D converted(S source, uint8_t mode) {
  if constexpr (kIsHalf<S>) {
    return converted<D, float>(to_float(source), static_cast<uint8_t>(mode & ~kFlush));
  } else if constexpr (kIsHalf<D>) {
    return narrowed_half<D>(source, mode);
  } else if constexpr (kIsFloat<S> && std::is_integral_v<D>) {
    return to_integer<D>(flushed(source, mode), mode);
  } else if constexpr (kIsFloat<D>) {
    D value = static_cast<D>(flushed(source, mode));
    if constexpr (kIsFloat<S>) {
      if ((mode & kIntegral) != 0) value = integral(value, mode);
      value = canonical(value);
    }
    value = flushed(value, mode);
    return (mode & kSaturate) != 0 ? saturate(value) : value;
  } else {
    return (mode & kSaturate) != 0 ? clamped<D>(source) : static_cast<D>(source);
  }
}

/// The low bytes of each lane of a register that is wider than S.
template <class S>
const S* narrowed(Warp& warp, const Instruction& i, S* lanes) {
  if (i.bytes == sizeof(S)) return warp.reg<S>(i.a);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    std::memcpy(lanes + lane, warp.reg<uint8_t>(i.a) + lane * i.bytes, sizeof(S));
  }
  return lanes;
}

/// W is what the destination register holds: D itself, or a wider integer that D extends to.
template <class D, class S, class W>
void cvt(Warp& warp, const Instruction& i) {
  S low[kWarpSize];
  const S* a = narrowed(warp, i, low);
  const uint8_t mode = i.mode;
  if constexpr (std::is_integral_v<D> && std::is_integral_v<S>) {
    if (mode == 0)
      return write_lanes<W>(warp, i.d,
                            [=](int lane) { return static_cast<W>(static_cast<D>(a[lane])); });
  }
  const bool directed = kIsFloat<D> && (mode & (kIntegral | 3)) != 0 && (mode & kIntegral) == 0;
  constexpr int kHost[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  if (directed) std::fesetround(kHost[mode & 3]);
  asm volatile("" ::: "memory");
  write_lanes<W>(warp, i.d, [=](int lane) {
    if constexpr (kIsHalf<W>)
      return converted<D>(a[lane], mode);
    else
      return static_cast<W>(converted<D>(a[lane], mode));
  });
  asm volatile("" ::: "memory");
  if (directed) std::fesetround(FE_TONEAREST);
}

template <class D, class S>
Handler for_width(unsigned register_bytes) {
  if constexpr (!std::is_integral_v<D> || sizeof(D) == 8) {
    return cvt<D, S, D>;
  } else {
    using S8 = std::conditional_t<std::is_signed_v<D>, int64_t, uint64_t>;
    using S4 = std::conditional_t<std::is_signed_v<D>, int32_t, uint32_t>;
    using S2 = std::conditional_t<std::is_signed_v<D>, int16_t, uint16_t>;
    if (register_bytes == 8) return cvt<D, S, S8>;
    if (register_bytes == 4) return cvt<D, S, S4>;
    if constexpr (sizeof(D) <= 2) return cvt<D, S, S2>;
    return nullptr;
  }
}

template <class D>
Handler for_source(Type source, unsigned register_bytes) {
  switch (source) {
    case Type::u8:
    case Type::b8:
      return for_width<D, uint8_t>(register_bytes);
    case Type::u16:
    case Type::b16:
      return for_width<D, uint16_t>(register_bytes);
    case Type::u32:
    case Type::b32:
      return for_width<D, uint32_t>(register_bytes);
    case Type::u64:
    case Type::b64:
      return for_width<D, uint64_t>(register_bytes);
    case Type::s8:
      return for_width<D, int8_t>(register_bytes);
    case Type::s16:
      return for_width<D, int16_t>(register_bytes);
    case Type::s32:
      return for_width<D, int32_t>(register_bytes);
    case Type::s64:
      return for_width<D, int64_t>(register_bytes);
    case Type::f16:
      return for_width<D, Half>(register_bytes);
    case Type::bf16:
      return for_width<D, Bfloat>(register_bytes);
    case Type::f32:
      return for_width<D, float>(register_bytes);
    case Type::f64:
      return for_width<D, double>(register_bytes);
    default:
      return nullptr;
  }
}

Handler handler_for(Type target, Type source, unsigned register_bytes) {
  switch (target) {
    case Type::u8:
    case Type::b8:
      return for_source<uint8_t>(source, register_bytes);
    case Type::u16:
    case Type::b16:
      return for_source<uint16_t>(source, register_bytes);
    case Type::u32:
    case Type::b32:
      return for_source<uint32_t>(source, register_bytes);
    case Type::u64:
    case Type::b64:
      return for_source<uint64_t>(source, register_bytes);
    case Type::s8:
      return for_source<int8_t>(source, register_bytes);
    case Type::s16:
      return for_source<int16_t>(source, register_bytes);
    case Type::s32:
      return for_source<int32_t>(source, register_bytes);
    case Type::s64:
      return for_source<int64_t>(source, register_bytes);
    case Type::f16:
      return for_source<Half>(source, register_bytes);
    case Type::bf16:
      return for_source<Bfloat>(source, register_bytes);
    case Type::f32:
      return for_source<float>(source, register_bytes);
    case Type::f64:
      return for_source<double>(source, register_bytes);
    default:
      return nullptr;
  }
}

uint8_t mode_of(const ptx::Instruction& from) {
  uint8_t mode = kNearest;
  if (from.has("rz") || from.has("rzi")) mode = kZero;
  if (from.has("rm") || from.has("rmi")) mode = kDown;
  if (from.has("rp") || from.has("rpi")) mode = kUp;
  if (from.has("rni") || from.has("rzi") || from.has("rmi") || from.has("rpi")) mode |= kIntegral;
  if (from.has("sat")) mode |= kSaturate;
  if (from.has("ftz")) mode |= kFlush;
  if (from.has("relu")) mode |= kRelu;
  return mode;
}

/// Two floats to a pair: a is the upper element.
template <class T>
void cvt_pair(Warp& warp, const Instruction& i) {
  const float *a = warp.reg<float>(i.a), *b = warp.reg<float>(i.b);
  const uint8_t mode = i.mode;
  for_each_lane(warp.mask, [&](int lane) {
    warp.reg<Pair<T>>(i.d)[lane] = {converted<T>(b[lane], mode), converted<T>(a[lane], mode)};
  });
}

/// tf32 is a float of which 10 bits of mantissa count; .rna rounds halves away from zero.
void cvt_tf32(Warp& warp, const Instruction& i) {
  const uint32_t* a = warp.reg<uint32_t>(i.a);
  const uint8_t mode = i.mode;
  write_lanes<uint32_t>(warp, i.d, [=](int lane) {
    const uint32_t bits = a[lane];
    if ((bits & 0x7FFF'FFFF) > 0x7F80'0000) return 0x7FFF'FFFFu;
    if ((bits & 0x7F80'0000) == 0x7F80'0000) return bits;
    const uint32_t half = mode == kZero ? 0 : mode == kUp ? 0x1000 : 0xFFF + (bits >> 13 & 1);
    return (bits + half) & ~0x1FFFu;
  });
}

void decode_pair(Decoder& decoder, const ptx::Instruction& from, Instruction& into, Type target) {
  require(target == Type::f16x2 || target == Type::bf16x2, from);
  require(last_type(from) == Type::f32 && from.operands.size() == 3, from);
  into.run = target == Type::f16x2 ? cvt_pair<Half> : cvt_pair<Bfloat>;
  binary_operands(decoder, from, into, Type::f32);
}

void decode_tf32(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require(last_type(from) == Type::f32 && !from.has("relu"), from);
  into.run = cvt_tf32;
  into.mode = from.has("rna") ? kUp : from.has("rz") ? kZero : kNearest;
  unary_operands(decoder, from, into, Type::f32);
}

void decode_cvt(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type source = last_type(from);
  Type target = Type::none;
  for (const std::string_view modifier : from.modifiers) {
    if (target == Type::none) target = ptx::type_named(modifier);
  }
  require_operands(from, 2);
  require(!from.has("satfinite"), from);
  if (from.has("tf32")) return decode_tf32(decoder, from, into);
  into.mode = mode_of(from);
  if (from.operands.size() != 2) return decode_pair(decoder, from, into, target);
  into.run = handler_for(target, source, decoder.register_bytes(from.operands[0]));
  require(into.run != nullptr, from);
  into.d = decoder.destination(from.operands[0]);
  into.a = decoder.source(from.operands[1], source);
  into.bytes = static_cast<uint8_t>(
      from.operands[1].reg < 0 ? ptx::size_of(source) : decoder.register_bytes(from.operands[1]));
}

/// Both sources saturated to the narrower type, a above b; and above them the low part of c.
template <class S>
void cvt_pack(Warp& warp, const Instruction& i) {
  const S *a = warp.reg<S>(i.a), *b = warp.reg<S>(i.b);
  const uint32_t* c = i.c == kNoRegister ? nullptr : warp.reg<uint32_t>(i.c);
  const unsigned bits = i.bytes;
  const uint32_t ones = (1u << bits) - 1;
  const auto low = i.mode != 0 ? -(int64_t{1} << (bits - 1)) : 0,
             high = (int64_t{1} << (i.mode != 0 ? bits - 1 : bits)) - 1;
  const auto part = [=](S value) {
    return static_cast<uint32_t>(std::clamp<int64_t>(value, low, high)) & ones;
  };
  write_lanes<uint32_t>(warp, i.d, [=](int lane) {
    const uint32_t pair = part(a[lane]) << bits | part(b[lane]);
    return c == nullptr ? pair : c[lane] << (2 * bits) | pair;
  });
}

/// cvt.pack.sat.u8.s32.b32 d, a, b, c
void decode_cvt_pack(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require(from.has("sat") && from.modifiers.size() >= 4, from);
  const Type target = ptx::type_named(from.modifiers[2]),
             source = ptx::type_named(from.modifiers[3]);
  into.mode = target == Type::s8 || target == Type::s16;
  require(into.mode != 0 || target == Type::u8 || target == Type::u16, from);
  require(source == Type::s32 || source == Type::u32, from);
  into.run = source == Type::s32 ? cvt_pack<int32_t> : cvt_pack<uint32_t>;
  into.bytes = static_cast<uint8_t>(8 * ptx::size_of(target));
  binary_operands(decoder, from, into, source);
  if (from.operands.size() > 3) into.c = decoder.source(from.operands[3], Type::b32);
}

void decode_any_cvt(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  if (from.has("pack")) return decode_cvt_pack(decoder, from, into);
  if (!decode_cvt_fp8(decoder, from, into)) decode_cvt(decoder, from, into);
}

constexpr OpRow kRows[] = {{"cvt", decode_any_cvt}};

}  // namespace

const std::span<const OpRow> kConvertOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
