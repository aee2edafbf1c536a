// SPDX-License-Identifier: MIT
// PTX ISA 9.7.1, integer arithmetic: dot products and what builds or searches bit masks.

#include <algorithm>

#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

template <class T, class From>
uint32_t part(From word, unsigned index) {
  return static_cast<uint32_t>(
      static_cast<int32_t>(static_cast<T>(word >> (8 * sizeof(T) * index))));
}

/// Four products of bytes, added to c.
template <class A, class B>
struct Dot4 {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    for (unsigned n = 0; n < 4; ++n) c += part<A>(a, n) * part<B>(b, n);
    return c;
  }
};
/// Two products of a's halves with the lower or upper two bytes of b, added to c.
template <class A, class B, unsigned First>
struct Dot2 {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    for (unsigned n = 0; n < 2; ++n) c += part<A>(a, n) * part<B>(b, First + n);
    return c;
  }
};
/// Ones from bit a on, b of them.
template <bool Clamp>
struct Mask {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    const uint32_t first = Clamp ? std::min(a, 32u) : a & 31,
                   length = Clamp ? std::min(b, 32u) : b & 31;
    return static_cast<uint32_t>(((uint64_t{1} << length) - 1) << first);
  }
};
/// The low b bits of a, extended with their sign or with zeros.
template <class T, bool Clamp>
struct Extend {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    const uint32_t bits = Clamp ? std::min(b, 32u) : b & 31;
    if (bits == 0) return 0;
    return static_cast<uint32_t>(static_cast<T>(a << (32 - bits)) >> (32 - bits));
  }
};
/// The |offset|-th set bit from bit `base` on, upwards or downwards; all ones where there is none.
struct FindNthSet {
  uint32_t operator()(uint32_t mask, uint32_t base, uint32_t offset) const {
    const auto signed_offset = static_cast<int32_t>(offset);
    if (signed_offset == 0) return base < 32 && (mask >> base & 1) != 0 ? base : ~0u;
    const uint32_t step = signed_offset > 0 ? 1u : ~0u;
    uint32_t left = signed_offset > 0 ? offset : 0u - offset;
    for (uint32_t position = base; position < 32; position += step) {
      if ((mask >> position & 1) != 0 && --left == 0) return position;
    }
    return ~0u;
  }
};

template <class Op>
void binary(Warp& warp, const Instruction& i) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b);
  write_lanes<uint32_t>(warp, i.d, [=](int lane) { return Op{}(a[lane], b[lane]); });
}
template <class Op>
void ternary(Warp& warp, const Instruction& i) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b),
                 *c = warp.reg<uint32_t>(i.c);
  write_lanes<uint32_t>(warp, i.d, [=](int lane) { return Op{}(a[lane], b[lane], c[lane]); });
}

void ternary_operands(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 4);
  binary_operands(decoder, from, into, Type::b32);
  into.c = decoder.source(from.operands[3], Type::b32);
}

/// Handlers by the signs of a and of b: u32.u32, u32.s32, s32.u32, s32.s32.
void choose_by_signs(const ptx::Instruction& from, Instruction& into, const Handler (&choices)[4]) {
  require(from.modifiers.size() >= 2, from);
  const auto count = from.modifiers.size();
  const bool a_signed = from.modifiers[count - 2] == "s32",
             b_signed = from.modifiers[count - 1] == "s32";
  into.run = choices[2 * a_signed + b_signed];
}

void decode_dp4a(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  choose_by_signs(from, into,
                  {ternary<Dot4<uint8_t, uint8_t>>, ternary<Dot4<uint8_t, int8_t>>,
                   ternary<Dot4<int8_t, uint8_t>>, ternary<Dot4<int8_t, int8_t>>});
  ternary_operands(decoder, from, into);
}

template <unsigned First>
void choose_dp2a(const ptx::Instruction& from, Instruction& into) {
  choose_by_signs(from, into,
                  {ternary<Dot2<uint16_t, uint8_t, First>>, ternary<Dot2<uint16_t, int8_t, First>>,
                   ternary<Dot2<int16_t, uint8_t, First>>, ternary<Dot2<int16_t, int8_t, First>>});
}
void decode_dp2a(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  if (from.has("hi"))
    choose_dp2a<2>(from, into);
  else
    choose_dp2a<0>(from, into);
  ternary_operands(decoder, from, into);
}

void decode_bmsk(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  into.run = from.has("clamp") ? binary<Mask<true>> : binary<Mask<false>>;
  binary_operands(decoder, from, into, Type::b32);
}

void decode_szext(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const bool clamp = from.has("clamp");
  if (last_type(from) == Type::s32)
    into.run = clamp ? binary<Extend<int32_t, true>> : binary<Extend<int32_t, false>>;
  else
    into.run = clamp ? binary<Extend<uint32_t, true>> : binary<Extend<uint32_t, false>>;
  binary_operands(decoder, from, into, Type::b32);
}

void decode_fns(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  into.run = ternary<FindNthSet>;
  ternary_operands(decoder, from, into);
}

constexpr OpRow kRows[] = {
    {"dp4a", decode_dp4a},   {"dp2a", decode_dp2a}, {"bmsk", decode_bmsk},
    {"szext", decode_szext}, {"fns", decode_fns},
};

}  // namespace

const std::span<const OpRow> kDotOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
