// SPDX-License-Identifier: MIT
// PTX ISA 9.7.8, logic and shift, and the bit-field opcodes of 9.7.1.

#include <algorithm>

#include "emulator/exec/ops/functors.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

// Shift amounts clamp to the width.
struct Shl {
  template <class T>
  T operator()(T a, uint32_t n) const {
    return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << n);
  }
};
struct Shr {
  template <class T>
  T operator()(T a, uint32_t n) const {
    constexpr uint32_t kLast = 8 * sizeof(T) - 1;
    if constexpr (std::is_unsigned_v<T>) {
      if (n > kLast) return 0;
    }
    return static_cast<T>(a >> std::min(n, kLast));
  }
};

template <class Op, class T>
void binary(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  write_lanes<T>(warp, i.d, [=](int lane) { return Op{}(a[lane], b[lane]); });
}
template <class Op>
void predicate_binary(Warp& warp, const Instruction& i) {
  uint32_t a = warp.predicate(i.a), b = warp.predicate(i.b);
  if ((i.mode & 1) != 0) a = ~a;
  if ((i.mode & 2) != 0) b = ~b;
  write_predicate(warp, i.d, Op{}(a, b));
}
template <class T>
void invert(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  write_lanes<T>(warp, i.d, [=](int lane) { return static_cast<T>(~a[lane]); });
}
template <class T>
void invert_zero(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  write_lanes<T>(warp, i.d, [=](int lane) { return static_cast<T>(a[lane] == 0); });
}
void predicate_not(Warp& warp, const Instruction& i) {
  write_predicate(warp, i.d, i.mode != 0 ? warp.predicate(i.a) : ~warp.predicate(i.a));
}
template <class Op, class T>
void shift(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  const uint32_t* b = warp.reg<uint32_t>(i.b);
  write_lanes<T>(warp, i.d, [=](int lane) { return Op{}(a[lane], b[lane]); });
}

template <class Op>
struct Binary {
  template <class T>
  struct Of {
    static constexpr Handler kHandler = binary<Op, T>;
  };
};
template <class Op>
struct Shift {
  template <class T>
  struct Of {
    static constexpr Handler kHandler = shift<Op, T>;
  };
};
template <class T>
struct Invert {
  static constexpr Handler kHandler = invert<T>;
};
template <class T>
struct InvertZero {
  static constexpr Handler kHandler = invert_zero<T>;
};

template <class Op>
void decode_binary(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  require_operands(from, 3);
  if (type == Type::pred) {
    into.run = predicate_binary<Op>;
    into.mode = static_cast<uint8_t>(from.operands[1].negated | from.operands[2].negated << 1);
  } else {
    into.run = for_bits<Binary<Op>::template Of>(type);
  }
  require(into.run != nullptr, from);
  binary_operands(decoder, from, into, type);
}

void decode_not(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  require_operands(from, 2);
  into.run = type == Type::pred ? predicate_not : for_bits<Invert>(type);
  into.mode = from.operands[1].negated;
  require(into.run != nullptr, from);
  unary_operands(decoder, from, into, type);
}

void decode_cnot(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = for_bits<InvertZero>(type);
  require(into.run != nullptr, from);
  unary_operands(decoder, from, into, type);
}

template <class Op>
void decode_shift(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  require_operands(from, 3);
  into.run = for_integer<Shift<Op>::template Of>(type);
  require(into.run != nullptr, from);
  unary_operands(decoder, from, into, type);
  into.b = decoder.source(from.operands[2], Type::u32);
}

/// Funnel shift of {b, a}: the 64-bit value whose high word is b.
template <bool Left, bool Wrap>
void shf(Warp& warp, const Instruction& i) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b),
                 *c = warp.reg<uint32_t>(i.c);
  write_lanes<uint32_t>(warp, i.d, [=](int lane) {
    const uint32_t n = Wrap ? c[lane] & 31 : std::min<uint32_t>(c[lane], 32);
    const uint64_t both = static_cast<uint64_t>(b[lane]) << 32 | a[lane];
    return static_cast<uint32_t>(Left ? (both << n) >> 32 : both >> n);
  });
}

void decode_shf(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const bool left = from.has("l"), wrap = from.has("wrap");
  into.run = left ? (wrap ? shf<true, true> : shf<true, false>)
                  : (wrap ? shf<false, true> : shf<false, false>);
  require_operands(from, 4);
  binary_operands(decoder, from, into, Type::b32);
  into.c = decoder.source(from.operands[3], Type::u32);
}

uint32_t lop3_of(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  return result;
}

void lop3(Warp& warp, const Instruction& i) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b),
                 *c = warp.reg<uint32_t>(i.c);
  const auto table = static_cast<uint32_t>(i.immediate);
  write_lanes<uint32_t>(warp, i.d,
                        [=](int lane) { return lop3_of(a[lane], b[lane], c[lane], table); });
}

void decode_lop3(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 5);
  require(from.operands[4].kind == ptx::Operand::Kind::integer, from);
  into.run = lop3;
  binary_operands(decoder, from, into, Type::b32);
  into.c = decoder.source(from.operands[3], Type::b32);
  into.immediate = static_cast<int64_t>(from.operands[4].bits);
}

/// prmt, default mode: each nibble of c picks one of the eight bytes of {b, a}; its top bit
/// replicates the sign.
uint32_t permuted(uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t bytes = static_cast<uint64_t>(b) << 32 | a;
  uint32_t result = 0;
  for (int position = 0; position < 4; ++position) {
    const uint32_t selector = c >> (4 * position) & 0xF;
    uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (selector & 7))) & 0xFF;
    if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xFF : 0;
    result |= byte << (8 * position);
  }
  return result;
}

void prmt(Warp& warp, const Instruction& i) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b),
                 *c = warp.reg<uint32_t>(i.c);
  write_lanes<uint32_t>(warp, i.d, [=](int lane) { return permuted(a[lane], b[lane], c[lane]); });
}

/// What the low two bits of c select in the other modes, written as the default mode's c.
struct PermuteMode {
  std::string_view name;
  uint16_t selectors[4];
};
constexpr PermuteMode kPermuteModes[] = {
    {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
    {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
    {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
};

void prmt_mode(Warp& warp, const Instruction& i) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b),
                 *c = warp.reg<uint32_t>(i.c);
  const auto& selectors = kPermuteModes[i.mode].selectors;
  write_lanes<uint32_t>(
      warp, i.d, [&](int lane) { return permuted(a[lane], b[lane], selectors[c[lane] & 3]); });
}

void decode_prmt(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const auto* const mode =
      std::find_if(std::begin(kPermuteModes), std::end(kPermuteModes),
                   [&](const PermuteMode& each) { return from.has(each.name); });
  const bool is_default = mode == std::end(kPermuteModes);
  require(from.modifiers.size() == (is_default ? 1 : 2), from);
  require_operands(from, 4);
  into.run = is_default ? prmt : prmt_mode;
  if (!is_default) into.mode = static_cast<uint8_t>(mode - std::begin(kPermuteModes));
  binary_operands(decoder, from, into, Type::b32);
  into.c = decoder.source(from.operands[3], Type::b32);
}

template <class T>
T extracted(T a, uint32_t position, uint32_t length) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  position &= 0xFF;
  length &= 0xFF;
  using U = std::make_unsigned_t<T>;
  if (length == 0) return 0;
  U field = position >= kBits ? U{0} : static_cast<U>(static_cast<U>(a) >> position);
  if (length < kBits) field &= static_cast<U>((U{1} << length) - 1);
  if constexpr (std::is_signed_v<T>) {
    const uint32_t sign_at = std::min(position + length - 1, kBits - 1);
    const bool negative = (static_cast<U>(a) >> sign_at & 1) != 0;
    const uint32_t kept = sign_at >= position ? sign_at - position + 1 : 0;
    if (negative && kept < kBits) field |= static_cast<U>(~U{0} << kept);
  }
  return static_cast<T>(field);
}

template <class T>
void bfe(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  const uint32_t *b = warp.reg<uint32_t>(i.b), *c = warp.reg<uint32_t>(i.c);
  write_lanes<T>(warp, i.d, [=](int lane) { return extracted(a[lane], b[lane], c[lane]); });
}
template <class T>
struct MakeBfe {
  static constexpr Handler kHandler = bfe<T>;
};

void decode_bfe(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = for_integer<MakeBfe>(type);
  require(into.run != nullptr, from);
  require_operands(from, 4);
  unary_operands(decoder, from, into, type);
  into.b = decoder.source(from.operands[2], Type::u32);
  into.c = decoder.source(from.operands[3], Type::u32);
}

template <class T>
T inserted(T field, T into, uint32_t position, uint32_t length) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  position &= 0xFF;
  length &= 0xFF;
  if (length == 0 || position >= kBits) return into;
  const T ones = length >= kBits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T mask = static_cast<T>(ones << position);
  return static_cast<T>((into & ~mask) | (static_cast<T>(field << position) & mask));
}

template <class T>
void bfi(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  const uint32_t* c = warp.reg<uint32_t>(i.c);
  const uint32_t* length = warp.reg<uint32_t>(i.e);
  write_lanes<T>(warp, i.d,
                 [=](int lane) { return inserted(a[lane], b[lane], c[lane], length[lane]); });
}

void decode_bfi(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = ptx::size_of(type) == 8 ? bfi<uint64_t> : bfi<uint32_t>;
  require_operands(from, 5);
  binary_operands(decoder, from, into, type);
  into.c = decoder.source(from.operands[3], Type::u32);
  into.e = decoder.source(from.operands[4], Type::u32);
}

constexpr OpRow kRows[] = {
    {"and", decode_binary<And>}, {"or", decode_binary<Or>}, {"xor", decode_binary<Xor>},
    {"not", decode_not},         {"cnot", decode_cnot},     {"shl", decode_shift<Shl>},
    {"shr", decode_shift<Shr>},  {"shf", decode_shf},       {"lop3", decode_lop3},
    {"prmt", decode_prmt},       {"bfe", decode_bfe},       {"bfi", decode_bfi},
};

}  // namespace

const std::span<const OpRow> kLogicOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
