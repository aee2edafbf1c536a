// SPDX-License-Identifier: MIT
// PTX ISA 9.7.1.3 to 9.7.1.6: mul, mad, mul24 and mad24 of integers.

#include "emulator/exec/ops/functors.h"
#include "emulator/exec/ops/integer.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

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

}  // namespace

// Their floating-point forms are in float.cpp, those that set the carry flag in extended.cpp.
void decode_float(Decoder& decoder, const ptx::Instruction& from, Instruction& into);
void decode_mad_cc(Decoder& decoder, const ptx::Instruction& from, Instruction& into);

namespace {

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
    {"mul", decode_mul},
    {"mad", decode_mad},
    {"mul24", decode_mul24},
    {"mad24", decode_mad24},
};

}  // namespace

const std::span<const OpRow> kMultiplyOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
