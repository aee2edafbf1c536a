// SPDX-License-Identifier: MIT
// PTX ISA 9.7.20, video: the SIMD forms that nvcc emits for its __v...2 and __v...4 intrinsics.

#include <algorithm>

#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

struct AbsoluteDifference {
  int32_t operator()(int32_t a, int32_t b) const { return a < b ? b - a : a - b; }
};
struct Add {
  int32_t operator()(int32_t a, int32_t b) const { return a + b; }
};
struct Sub {
  int32_t operator()(int32_t a, int32_t b) const { return a - b; }
};
struct Average {
  int32_t operator()(int32_t a, int32_t b) const { return (a + b + (a + b >= 0)) >> 1; }
};
struct Min {
  int32_t operator()(int32_t a, int32_t b) const { return std::min(a, b); }
};
struct Max {
  int32_t operator()(int32_t a, int32_t b) const { return std::max(a, b); }
};

enum Mode : uint8_t {
  kSignedA = 1,
  kSignedB = 2,
  kSignedResult = 4,
  kSaturate = 8,
  kAccumulate = 16
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

/// v<op>{2,4}.dtype.atype.btype{.sat|.add} d, a, b, c; without selectors, which pick other elements.
template <class Op, unsigned Bits>
void decode_simd(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 4);
  require(from.modifiers.size() >= 3, from);
  into.run = simd<Op, Bits>;
  if (from.modifiers[0] == "s32") into.mode |= kSignedResult;
  if (from.modifiers[1] == "s32") into.mode |= kSignedA;
  if (from.modifiers[2] == "s32") into.mode |= kSignedB;
  if (from.has("sat")) into.mode |= kSaturate;
  if (from.has("add")) into.mode |= kAccumulate;
  binary_operands(decoder, from, into, Type::b32);
  into.c = decoder.source(from.operands[3], Type::b32);
}

constexpr OpRow kRows[] = {
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
