// SPDX-License-Identifier: MIT
// PTX ISA 9.7.1, integer arithmetic, and 9.7.2, extended-precision integer arithmetic.

#include <algorithm>

#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

/// The type of twice the width, for products.
template <class T>
struct Wider;
template <>
struct Wider<uint16_t> {
  using type = uint32_t;
};
template <>
struct Wider<int16_t> {
  using type = int32_t;
};
template <>
struct Wider<uint32_t> {
  using type = uint64_t;
};
template <>
struct Wider<int32_t> {
  using type = int64_t;
};
template <>
struct Wider<uint64_t> {
  using type = unsigned __int128;
};
template <>
struct Wider<int64_t> {
  using type = __int128;
};
template <class T>
using WiderOf = typename Wider<T>::type;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b));
  }
};
struct AddSaturated {
  int32_t operator()(int32_t a, int32_t b) const {
    const int64_t sum = int64_t{a} + b;
    return static_cast<int32_t>(std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX));
  }
};
struct SubSaturated {
  int32_t operator()(int32_t a, int32_t b) const {
    const int64_t difference = int64_t{a} - b;
    return static_cast<int32_t>(
        std::min<int64_t>(std::max<int64_t>(difference, INT32_MIN), INT32_MAX));
  }
};
struct MulLo {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<WiderOf<Unsigned<T>>>(Unsigned<T>(a)) * Unsigned<T>(b));
  }
};
struct MulHi {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>((static_cast<WiderOf<T>>(a) * b) >> (8 * sizeof(T)));
  }
};
// Division by zero is unspecified; the hardware's sequence yields all ones.
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(Unsigned<T>{0} - Unsigned<T>(a));
    }
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
/// .relu: what is negative becomes 0.
template <class Op>
struct Relu {
  int32_t operator()(int32_t a, int32_t b) const { return std::max(Op{}(a, b), 0); }
};
struct Neg {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(Unsigned<T>{0} - Unsigned<T>(a));
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_signed_v<T>)
      return a < 0 ? static_cast<T>(Unsigned<T>{0} - Unsigned<T>(a)) : a;
    return a;
  }
};
struct Mad {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(MulLo{}(a, b), c);
  }
};
struct MadHi {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(MulHi{}(a, b), c);
  }
};
struct Sad {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(c, a < b ? Sub{}(b, a) : Sub{}(a, b));
  }
};
/// 24-bit factors, sign- or zero-extended.
template <class T>
T low24(T a) {
  return static_cast<T>(static_cast<T>(Unsigned<T>(a) << 8) >> 8);
}
struct Mul24Lo {
  template <class T>
  T operator()(T a, T b) const {
    return MulLo{}(low24(a), low24(b));
  }
};
/// Bits 47 to 16 of the product.
struct Mul24Hi {
  template <class T>
  T operator()(T a, T b) const {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return static_cast<T>(Wide{low24(a)} * Wide{low24(b)} >> 16);
  }
};
struct Mad24Lo {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(Mul24Lo{}(a, b), c);
  }
};
struct Mad24Hi {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(Mul24Hi{}(a, b), c);
  }
};
struct Popc {
  template <class T>
  uint32_t operator()(T a) const {
    return static_cast<uint32_t>(std::popcount(a));
  }
};
struct Clz {
  template <class T>
  uint32_t operator()(T a) const {
    return static_cast<uint32_t>(std::countl_zero(a));
  }
};
struct Bfind {
  template <class T>
  uint32_t operator()(T a) const {
    Unsigned<T> bits = Unsigned<T>(a);
    if constexpr (std::is_signed_v<T>) {
      if (a < 0) bits = static_cast<Unsigned<T>>(~bits);
    }
    return bits == 0 ? ~0u
                     : static_cast<uint32_t>(8 * sizeof(T) - 1 -
                                             static_cast<unsigned>(std::countl_zero(bits)));
  }
};
struct BfindShift {
  template <class T>
  uint32_t operator()(T a) const {
    const uint32_t position = Bfind{}(a);
    return position == ~0u ? position : static_cast<uint32_t>(8 * sizeof(T) - 1) - position;
  }
};
struct Brev {
  template <class T>
  T operator()(T a) const {
    T reversed = 0;
    for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit)
      reversed = static_cast<T>(reversed << 1 | (a >> bit & 1));
    return reversed;
  }
};

template <class Op, class T>
void unary(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  write_lanes<decltype(Op{}(T{}))>(warp, i.d, [=](int lane) { return Op{}(a[lane]); });
}
template <class Op, class T>
void binary(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  write_lanes<T>(warp, i.d, [=](int lane) { return Op{}(a[lane], b[lane]); });
}
template <class Op, class T>
void ternary(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b), *c = warp.reg<T>(i.c);
  write_lanes<T>(warp, i.d, [=](int lane) { return Op{}(a[lane], b[lane], c[lane]); });
}
template <class T>
void mul_wide(Warp& warp, const Instruction& i) {
  using W = WiderOf<T>;
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  write_lanes<W>(warp, i.d,
                 [=](int lane) { return static_cast<W>(static_cast<W>(a[lane]) * b[lane]); });
}
template <class T>
void mad_wide(Warp& warp, const Instruction& i) {
  using W = WiderOf<T>;
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  const W* c = warp.reg<W>(i.c);
  write_lanes<W>(warp, i.d, [=](int lane) {
    return Add{}(static_cast<W>(static_cast<W>(a[lane]) * b[lane]), c[lane]);
  });
}

template <class Op>
struct Unary {
  template <class T>
  struct Of {
    static constexpr Handler kHandler = unary<Op, T>;
  };
};
template <class Op>
struct Binary {
  template <class T>
  struct Of {
    static constexpr Handler kHandler = binary<Op, T>;
  };
};
template <class Op>
struct Ternary {
  template <class T>
  struct Of {
    static constexpr Handler kHandler = ternary<Op, T>;
  };
};

}  // namespace

// The floating-point forms of these opcodes live in float.cpp.
void decode_float(Decoder& decoder, const ptx::Instruction& from, Instruction& into);
// Those that set the carry flag, in extended.cpp.
void decode_add_cc(Decoder& decoder, const ptx::Instruction& from, Instruction& into);
void decode_mad_cc(Decoder& decoder, const ptx::Instruction& from, Instruction& into);

namespace {

bool is_integer(Type type) {
  return for_integer<Binary<Add>::Of>(type) != nullptr && type != Type::f16;
}

template <class Op>
void decode_binary(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  if (!is_integer(type)) return decode_float(decoder, from, into);
  if (from.has("cc")) return decode_add_cc(decoder, from, into);
  require(!from.has("sat"), from);
  into.run = for_integer<Binary<Op>::template Of>(type);
  binary_operands(decoder, from, into, type);
}

template <class Op, class Saturated>
void decode_add(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  if (!from.has("sat") || last_type(from) != Type::s32)
    return decode_binary<Op>(decoder, from, into);
  into.run = binary<Saturated, int32_t>;
  binary_operands(decoder, from, into, Type::s32);
}

template <class Op>
void decode_min_max(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  if (!from.has("relu") || last_type(from) != Type::s32)
    return decode_binary<Op>(decoder, from, into);
  into.run = binary<Relu<Op>, int32_t>;
  binary_operands(decoder, from, into, Type::s32);
}

template <class Op>
void decode_unary(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  if (!is_integer(type)) return decode_float(decoder, from, into);
  into.run = for_integer<Unary<Op>::template Of>(type);
  unary_operands(decoder, from, into, type);
}

template <class Op>
void decode_bit_unary(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = ptx::size_of(type) == 8 ? unary<Op, uint64_t> : unary<Op, uint32_t>;
  unary_operands(decoder, from, into, type);
}

void decode_bfind(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = from.has("shiftamt") ? for_integer<Unary<BfindShift>::Of>(type)
                                  : for_integer<Unary<Bfind>::Of>(type);
  require(into.run != nullptr, from);
  unary_operands(decoder, from, into, type);
}

Handler wide_handler(Type type, bool accumulate) {
  switch (type) {
    case Type::u16:
      return accumulate ? mad_wide<uint16_t> : mul_wide<uint16_t>;
    case Type::s16:
      return accumulate ? mad_wide<int16_t> : mul_wide<int16_t>;
    case Type::u32:
      return accumulate ? mad_wide<uint32_t> : mul_wide<uint32_t>;
    case Type::s32:
      return accumulate ? mad_wide<int32_t> : mul_wide<int32_t>;
    default:
      return nullptr;
  }
}

Type widened(Type type) {
  switch (type) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::u32:
      return Type::u64;
    default:
      return Type::s64;
  }
}

void decode_mul(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  if (from.has("wide")) {
    into.run = wide_handler(type, false);
  } else if (from.has("hi")) {
    into.run = for_integer<Binary<MulHi>::Of>(type);
  } else if (from.has("lo")) {
    into.run = for_integer<Binary<MulLo>::Of>(type);
  } else {
    return decode_float(decoder, from, into);
  }
  require(into.run != nullptr, from);
  binary_operands(decoder, from, into, type);
}

void decode_mad(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  if (from.has("cc")) return decode_mad_cc(decoder, from, into);
  Type addend = type;
  if (from.has("wide")) {
    into.run = wide_handler(type, true);
    addend = widened(type);
  } else if (from.has("hi")) {
    into.run = for_integer<Ternary<MadHi>::Of>(type);
  } else if (from.has("lo")) {
    into.run = for_integer<Ternary<Mad>::Of>(type);
  } else {
    return decode_float(decoder, from, into);
  }
  require(into.run != nullptr && !from.has("sat"), from);
  require_operands(from, 4);
  binary_operands(decoder, from, into, type);
  into.c = decoder.source(from.operands[3], addend);
}

template <class Op>
void decode_ternary(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = for_integer<Ternary<Op>::template Of>(type);
  require(into.run != nullptr && !from.has("hi"), from);
  require_operands(from, 4);
  binary_operands(decoder, from, into, type);
  into.c = decoder.source(from.operands[3], type);
}

void decode_mul24(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  require(from.has("lo") || from.has("hi"), from);
  const bool is_unsigned = type == Type::u32;
  into.run = from.has("lo") ? is_unsigned ? binary<Mul24Lo, uint32_t> : binary<Mul24Lo, int32_t>
             : is_unsigned ? binary<Mul24Hi, uint32_t>
                            : binary<Mul24Hi, int32_t>;
  binary_operands(decoder, from, into, type);
}

void decode_mad24(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = from.has("hi") ? for_integer<Ternary<Mad24Hi>::Of>(type)
                            : for_integer<Ternary<Mad24Lo>::Of>(type);
  require(into.run != nullptr && !from.has("sat"), from);
  require_operands(from, 4);
  binary_operands(decoder, from, into, type);
  into.c = decoder.source(from.operands[3], type);
}

constexpr OpRow kRows[] = {
    {"add", decode_add<Add, AddSaturated>},
    {"sub", decode_add<Sub, SubSaturated>},
    {"mul", decode_mul},
    {"mad", decode_mad},
    {"mul24", decode_mul24},
    {"mad24", decode_mad24},
    {"sad", decode_ternary<Sad>},
    {"div", decode_binary<Div>},
    {"rem", decode_binary<Rem>},
    {"min", decode_min_max<Min>},
    {"max", decode_min_max<Max>},
    {"neg", decode_unary<Neg>},
    {"abs", decode_unary<Abs>},
    {"popc", decode_bit_unary<Popc>},
    {"clz", decode_bit_unary<Clz>},
    {"brev", decode_bit_unary<Brev>},
    {"bfind", decode_bfind},
};

}  // namespace

const std::span<const OpRow> kIntegerOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
