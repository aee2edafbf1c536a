// SPDX-License-Identifier: MIT
// PTX ISA 9.7.20, video: the SIMD forms that nvcc emits for its __v...2 and __v...4 intrinsics, and
// those of one number that have no selectors.

#include <algorithm>
#include <cstdint>

#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

struct AbsoluteDifference {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b - a : a - b;
  }
};
struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Average {
  int32_t operator()(int32_t a, int32_t b) const { return (a + b + (a + b >= 0)) >> 1; }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};

enum Mode : uint8_t {
  kSignedA = 1,
  kSignedB = 2,
  kSignedResult = 4,
  kSaturate = 8,
  kAccumulate = 16,
  kLesser = 32,
  kGreater = 64
};

/// Element `index` of a word, `Bits` wide.
template <unsigned Bits>
int32_t element(uint32_t word, unsigned index, bool is_signed) {
  const uint32_t top = word << (32 - Bits - Bits * index);
  return is_signed ? static_cast<int32_t>(top) >> (32 - Bits)
                   : static_cast<int32_t>(top >> (32 - Bits));
}

template <unsigned Bits>
int32_t saturated(int32_t value, bool is_signed) {
  const int32_t low = is_signed ? -(1 << (Bits - 1)) : 0,
                high = is_signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;
  return std::min(std::max(value, low), high);
}

/// Element by element; with .add the results are summed up with c instead.
template <class Op, unsigned Bits>
void simd(Warp& warp, const Instruction& i) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b),
                 *c = warp.reg<uint32_t>(i.c);
  const uint8_t mode = i.mode;
  write_lanes<uint32_t>(warp, i.d, [=](int lane) {
    uint32_t packed = 0, sum = c[lane];
    for (unsigned n = 0; n < 32 / Bits; ++n) {
      int32_t value = Op{}(element<Bits>(a[lane], n, (mode & kSignedA) != 0),
                           element<Bits>(b[lane], n, (mode & kSignedB) != 0));
      if ((mode & kSaturate) != 0) value = saturated<Bits>(value, (mode & kSignedResult) != 0);
      sum += static_cast<uint32_t>(value);
      packed |= (static_cast<uint32_t>(value) & ((1u << Bits) - 1)) << (Bits * n);
    }
    return (mode & kAccumulate) != 0 ? sum : packed;
  });
}

uint8_t types_and_saturation(const ptx::Instruction& from) {
  require(from.modifiers.size() >= 3, from);
  uint8_t mode = 0;
  if (from.modifiers[0] == "s32") mode |= kSignedResult;
  if (from.modifiers[1] == "s32") mode |= kSignedA;
  if (from.modifiers[2] == "s32") mode |= kSignedB;
  if (from.has("sat")) mode |= kSaturate;
  if (from.has("add")) mode |= kAccumulate;
  return mode;
}

/// v<op>{2,4}.dtype.atype.btype{.sat|.add} d, a, b, c; without selectors, which pick other elements.
template <class Op, unsigned Bits>
void decode_simd(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 4);
  into.run = simd<Op, Bits>;
  into.mode = types_and_saturation(from);
  binary_operands(decoder, from, into, Type::b32);
  into.c = decoder.source(from.operands[3], Type::b32);
}

int64_t number(uint32_t word, bool is_signed) {
  return is_signed ? int64_t{static_cast<int32_t>(word)} : int64_t{word};
}

int64_t saturated_number(int64_t value, bool is_signed) {
  return is_signed ? std::clamp<int64_t>(value, INT32_MIN, INT32_MAX)
                   : std::clamp<int64_t>(value, 0, UINT32_MAX);
}

/// What .add, .min and .max make of a result and c.
uint32_t second_operation(uint8_t mode, uint32_t value, uint32_t c) {
  if ((mode & kAccumulate) != 0) return value + c;
  const bool is_signed = (mode & kSignedResult) != 0;
  const bool less = number(value, is_signed) < number(c, is_signed);
  if ((mode & kLesser) != 0) return less ? value : c;
  if ((mode & kGreater) != 0) return less ? c : value;
  return value;
}

template <class Op>
void scalar(Warp& warp, const Instruction& i) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b),
                 *c = warp.reg<uint32_t>(i.c);
  const uint8_t mode = i.mode;
  write_lanes<uint32_t>(warp, i.d, [=](int lane) {
    int64_t value =
        Op{}(number(a[lane], (mode & kSignedA) != 0), number(b[lane], (mode & kSignedB) != 0));
    if ((mode & kSaturate) != 0) value = saturated_number(value, (mode & kSignedResult) != 0);
    return second_operation(mode, static_cast<uint32_t>(value), c[lane]);
  });
}

/// v<op>.dtype.atype.btype{.sat}{.add|.min|.max} d, a, b{, c}
template <class Op>
void decode_scalar(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  into.run = scalar<Op>;
  into.mode = types_and_saturation(from);
  if (from.has("min")) into.mode |= kLesser;
  if (from.has("max")) into.mode |= kGreater;
  const bool has_second = (into.mode & (kAccumulate | kLesser | kGreater)) != 0;
  require_operands(from, has_second ? 4 : 3);
  // A fourth operand without an operation is what a part of d is merged into.
  require(has_second == (from.operands.size() == 4), from);
  binary_operands(decoder, from, into, Type::b32);
  into.c = has_second ? decoder.source(from.operands[3], Type::b32) : into.a;
}

constexpr OpRow kRows[] = {
    {"vabsdiff", decode_scalar<AbsoluteDifference>},
    {"vadd", decode_scalar<Add>},
    {"vsub", decode_scalar<Sub>},
    {"vmin", decode_scalar<Min>},
    {"vmax", decode_scalar<Max>},
    {"vabsdiff2", decode_simd<AbsoluteDifference, 16>},
    {"vabsdiff4", decode_simd<AbsoluteDifference, 8>},
    {"vadd2", decode_simd<Add, 16>},
    {"vadd4", decode_simd<Add, 8>},
    {"vsub2", decode_simd<Sub, 16>},
    {"vsub4", decode_simd<Sub, 8>},
    {"vavrg2", decode_simd<Average, 16>},
    {"vavrg4", decode_simd<Average, 8>},
    {"vmin2", decode_simd<Min, 16>},
    {"vmin4", decode_simd<Min, 8>},
    {"vmax2", decode_simd<Max, 16>},
    {"vmax4", decode_simd<Max, 8>},
};

}  // namespace

const std::span<const OpRow> kVideoOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
