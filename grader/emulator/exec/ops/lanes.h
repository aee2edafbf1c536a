// SPDX-License-Identifier: MIT
#pragma once

// Shared by the op files: the loop over lanes, predicates, types, flushing and saturation, each
// written once.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "emulator/exec/ops/ops.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace warpgrade::emulator::WARPGRADE_ISA {

using ptx::Type;

/// Writes value(lane) to the active lanes of register `d`.
template <class T, class F>
inline __attribute__((always_inline)) void write_lanes(Warp& warp, uint32_t d, F value) {
  T* out = warp.reg<T>(d);
  const uint32_t mask = warp.mask;
  if (mask == kFullMask) {
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = value(lane);
  } else {
#pragma GCC ivdep
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const T result = value(lane);
      out[lane] = (mask >> lane & 1) != 0 ? result : out[lane];
    }
  }
}

inline void write_predicate(Warp& warp, uint32_t d, uint32_t bits) {
  if (d == kNoRegister) return;
  uint32_t& out = *warp.reg<uint32_t>(d);
  out = (out & ~warp.mask) | (bits & warp.mask);
}

/// One bit per lane from lanes of 0 or -1.
inline uint32_t gather_bits(const int32_t* lanes) {
#if defined(__AVX2__)
  uint32_t bits = 0;
  for (int group = 0; group < 4; ++group) {
    const __m256 eight = _mm256_loadu_ps(reinterpret_cast<const float*>(lanes + 8 * group));
    bits |= static_cast<uint32_t>(_mm256_movemask_ps(eight)) << (8 * group);
  }
  return bits;
#else
  uint32_t bits = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    bits |= static_cast<uint32_t>(lanes[lane] & 1) << lane;
  return bits;
#endif
}

template <class F>
inline __attribute__((always_inline)) uint32_t predicate_of(F holds) {
  alignas(64) int32_t lanes[kWarpSize];
#pragma GCC ivdep
  for (int lane = 0; lane < kWarpSize; ++lane) lanes[lane] = -static_cast<int32_t>(holds(lane));
  return gather_bits(lanes);
}

template <class F>
inline void for_each_lane(uint32_t mask, F visit) {
  for (; mask != 0; mask &= mask - 1) visit(first_lane(mask));
}

/// Denormals become zeros of the same sign (PTX ISA, .ftz).
inline float flush(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7F80'0000) == 0 ? std::bit_cast<float>(bits & 0x8000'0000) : value;
}

/// The one NaN that single-precision arithmetic returns.
inline float canonical(float value) {
  return value == value ? value : std::bit_cast<float>(uint32_t{0x7FFF'FFFF});
}
inline double canonical(double value) { return value; }

/// .sat: [0.0, 1.0], NaN to +0.
template <class T>
inline T saturate(T value) {
  value = value > T(0) ? value : T(0);
  return value < T(1) ? value : T(1);
}

/// f16, bf16, and pairs of 16 bits: their arithmetic is in packed.cpp.
bool is_packed(Type type);
void decode_packed(Decoder& decoder, const ptx::Instruction& from, Instruction& into);

/// Handlers by type: `Make<T>::kHandler`.
template <template <class> class Make>
Handler for_integer(Type type) {
  switch (type) {
    case Type::u16:
    case Type::b16:
      return Make<uint16_t>::kHandler;
    case Type::u32:
    case Type::b32:
      return Make<uint32_t>::kHandler;
    case Type::u64:
    case Type::b64:
      return Make<uint64_t>::kHandler;
    case Type::s16:
      return Make<int16_t>::kHandler;
    case Type::s32:
      return Make<int32_t>::kHandler;
    case Type::s64:
      return Make<int64_t>::kHandler;
    default:
      return nullptr;
  }
}

template <template <class> class Make>
Handler for_bits(Type type) {
  switch (ptx::size_of(type)) {
    case 2:
      return Make<uint16_t>::kHandler;
    case 4:
      return Make<uint32_t>::kHandler;
    case 8:
      return Make<uint64_t>::kHandler;
    default:
      return nullptr;
  }
}

/// The type an instruction works on: its last type modifier.
inline Type last_type(const ptx::Instruction& from) {
  for (auto modifier = from.modifiers.rbegin(); modifier != from.modifiers.rend(); ++modifier) {
    if (const Type type = ptx::type_named(*modifier); type != Type::none) return type;
  }
  throw Unsupported{std::string(from.text) + " has no type"};
}

inline void require(bool known, const ptx::Instruction& from) {
  if (!known) throw Unsupported{std::string(from.text) + " is not emulated"};
}

inline void require_operands(const ptx::Instruction& from, size_t count) {
  if (from.operands.size() < count)
    throw Unsupported{std::string(from.text) + " has too few operands"};
}

/// d = op(a): fills both from the first two operands.
inline void unary_operands(Decoder& decoder, const ptx::Instruction& from, Instruction& into,
                           Type type) {
  require_operands(from, 2);
  into.d = decoder.destination(from.operands[0]);
  into.a = decoder.source(from.operands[1], type);
}

inline void binary_operands(Decoder& decoder, const ptx::Instruction& from, Instruction& into,
                            Type type) {
  require_operands(from, 3);
  unary_operands(decoder, from, into, type);
  into.b = decoder.source(from.operands[2], type);
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
