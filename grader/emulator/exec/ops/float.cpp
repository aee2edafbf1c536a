// SPDX-License-Identifier: MIT
// PTX ISA 9.7.3, floating-point arithmetic: f32 and f64. Rounding to nearest even, division and
// square root are the host's IEEE operations; the .approx functions are computed more exactly than
// the ISA asks.

#include <cfenv>

#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/ops/slow_lanes.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

template <class T>
constexpr auto kNanBits = uint64_t{0x7FF8'0000'0000'0000};
template <>
constexpr auto kNanBits<float> = uint32_t{0x7FFF'FFFF};

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return canonical(a + b);
  }
};
struct Sub {
  template <class T>
  T operator()(T a, T b) const {
    return canonical(a - b);
  }
};
struct Mul {
  template <class T>
  T operator()(T a, T b) const {
    return canonical(a * b);
  }
};
struct Div {
  template <class T>
  T operator()(T a, T b) const {
    return canonical(a / b);
  }
};
/// div.approx.f32 (PTX ISA, "Floating Point Instructions: div"): a times 1/b, which is 0 for the largest b.
struct DivApprox {
  template <class T>
  T operator()(T a, T b) const {
    constexpr T kLargest = T(0x1p126f);
    const bool is_lost = (b > kLargest || b < -kLargest) && !std::isinf(b);
    return canonical(is_lost ? a * std::copysign(T(0), b) : a / b);
  }
};
struct Fma {
  template <class T>
  T operator()(T a, T b, T c) const {
    return canonical(std::fma(a, b, c));
  }
};
/// c - a * b and a * b - c, as contract() makes them.
struct FmaOfNegatedProduct {
  template <class T>
  T operator()(T a, T b, T c) const {
    return canonical(std::fma(-a, b, c));
  }
};
struct FmaOfNegatedAddend {
  template <class T>
  T operator()(T a, T b, T c) const {
    return canonical(std::fma(a, b, -c));
  }
};
// A NaN loses against a number, and -0 is smaller than +0.
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    if (a != a) return canonical(b);
    if (b != b) return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    if (a != a) return canonical(b);
    if (b != b) return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
/// .NaN: a NaN wins.
template <class Op>
struct OrNan {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || b != b ? std::bit_cast<T>(kNanBits<T>) : Op{}(a, b);
  }
};
/// .xorsign.abs: of the magnitudes, with the sign that a product would have.
template <class Op>
struct XorSign {
  template <class T>
  T operator()(T a, T b) const {
    const T chosen = Op{}(std::fabs(a), std::fabs(b));
    return std::copysign(chosen, std::signbit(a) != std::signbit(b) ? T(-1) : T(1));
  }
};
struct Neg {
  template <class T>
  T operator()(T a) const {
    return -a;
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    return std::fabs(a);
  }
};
struct Sqrt {
  template <class T>
  T operator()(T a) const {
    return canonical(std::sqrt(a));
  }
};
struct Rcp {
  template <class T>
  T operator()(T a) const {
    return canonical(T(1) / a);
  }
};
struct Rsqrt {
  float operator()(float a) const {
    return canonical(static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))));
  }
  double operator()(double a) const { return 1.0 / std::sqrt(a); }
};
struct Sin {
  template <class T>
  T operator()(T a) const {
    return canonical(std::sin(a));
  }
};
struct Cos {
  template <class T>
  T operator()(T a) const {
    return canonical(std::cos(a));
  }
};
struct Ex2 {
  template <class T>
  T operator()(T a) const {
    return canonical(std::exp2(a));
  }
};
struct Lg2 {
  template <class T>
  T operator()(T a) const {
    return canonical(std::log2(a));
  }
};
struct Tanh {
  template <class T>
  T operator()(T a) const {
    return canonical(std::tanh(a));
  }
};
/// PTX copies the sign of its first operand onto the second.
struct CopySign {
  template <class T>
  T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};

template <bool Ftz, class T>
T in(T value) {
  if constexpr (Ftz && std::is_same_v<T, float>) return flush(value);
  return value;
}
template <bool Ftz, bool Sat, class T>
T out(T value) {
  value = in<Ftz>(value);
  if constexpr (Sat) return saturate(value);
  return value;
}

template <class Op, class T, bool Ftz, bool Sat>
void unary(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  write_lanes<T>(warp, i.d, [=](int lane) { return out<Ftz, Sat>(Op{}(in<Ftz>(a[lane]))); });
}
template <class Op, class T, bool Ftz, bool Sat>
void binary(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  write_lanes<T>(warp, i.d,
                 [=](int lane) { return out<Ftz, Sat>(Op{}(in<Ftz>(a[lane]), in<Ftz>(b[lane]))); });
}
template <class Op, class T, bool Ftz, bool Sat>
void ternary(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b), *c = warp.reg<T>(i.c);
  write_lanes<T>(warp, i.d, [=](int lane) {
    return out<Ftz, Sat>(Op{}(in<Ftz>(a[lane]), in<Ftz>(b[lane]), in<Ftz>(c[lane])));
  });
}

template <class Op, class T, bool Ftz, bool Sat>
constexpr Handler arity_handler() {
  if constexpr (std::is_invocable_v<Op, T, T, T>)
    return ternary<Op, T, Ftz, Sat>;
  else if constexpr (std::is_invocable_v<Op, T, T>)
    return binary<Op, T, Ftz, Sat>;
  else
    return unary<Op, T, Ftz, Sat>;
}

/// Runs a handler under a rounding mode other than to nearest even. The barriers keep the
/// arithmetic between the changes of mode.
template <Handler Inner, int Mode>
void rounded(Warp& warp, const Instruction& i) {
  const int before = std::fegetround();
  std::fesetround(Mode);
  asm volatile("" ::: "memory");
  Inner(warp, i);
  asm volatile("" ::: "memory");
  std::fesetround(before);
}

template <class Op, class T, bool Ftz, bool Sat>
Handler with_rounding(const ptx::Instruction& from) {
  constexpr Handler kNearest = arity_handler<Op, T, Ftz, Sat>();
  if (from.has("rz")) return rounded<kNearest, FE_TOWARDZERO>;
  if (from.has("rm")) return rounded<kNearest, FE_DOWNWARD>;
  if (from.has("rp")) return rounded<kNearest, FE_UPWARD>;
  return kNearest;
}

template <class Op>
Handler handler_for(const ptx::Instruction& from, Type type) {
  if (type == Type::f64) return with_rounding<Op, double, false, false>(from);
  if (type != Type::f32) return nullptr;
  const bool ftz = from.has("ftz"), sat = from.has("sat");
  if (ftz)
    return sat ? with_rounding<Op, float, true, true>(from)
               : with_rounding<Op, float, true, false>(from);
  return sat ? with_rounding<Op, float, false, true>(from)
             : with_rounding<Op, float, false, false>(from);
}

template <class Op>
Handler min_max_handler(const ptx::Instruction& from, Type type) {
  if (from.has("xorsign"))
    return from.has("NaN") ? handler_for<XorSign<OrNan<Op>>>(from, type)
                           : handler_for<XorSign<Op>>(from, type);
  return from.has("NaN") ? handler_for<OrNan<Op>>(from, type) : handler_for<Op>(from, type);
}

template <class Op>
void decode_min_max(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  if (is_packed(type)) return decode_packed(decoder, from, into);
  require(from.operands.size() == 3, from);
  into.run = min_max_handler<Op>(from, type);
  require(into.run != nullptr, from);
  binary_operands(decoder, from, into, type);
}

template <class Op>
void decode_op(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  if (is_packed(type)) return decode_packed(decoder, from, into);
  into.run = handler_for<Op>(from, type);
  require(into.run != nullptr, from);
  if constexpr (std::is_invocable_v<Op, float, float, float>) {
    require_operands(from, 4);
    binary_operands(decoder, from, into, type);
    into.c = decoder.source(from.operands[3], type);
  } else if constexpr (std::is_invocable_v<Op, float, float>) {
    binary_operands(decoder, from, into, type);
  } else {
    unary_operands(decoder, from, into, type);
  }
}

/// The bits of numbers that ptxas 13.0 gives the steps which arithmetic_of() counts; it branches around them for the others.
template <class Op>
bool takes_counted_steps(uint32_t bits) {
  if constexpr (std::is_same_v<Op, Sqrt>) return bits - 0x0D00'0000u <= 0x727F'FFFFu;
  return ((bits + 0x0180'0000u) & 0x7F80'0000u) > 0x01FF'FFFFu;
}

template <class Op, bool Ftz>
void with_lanes_apart(Warp& warp, const Instruction& i) {
  const uint32_t* a = warp.reg<uint32_t>(i.a);
  uint64_t apart = 0;
  for_each_lane(warp.mask, [&](int lane) { apart += !takes_counted_steps<Op>(a[lane]); });
  warp.worker->rare[i.pc].apart += apart;
  unary<Op, float, Ftz, false>(warp, i);
}

template <class Op>
void decode_with_lanes_apart(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  decode_op<Op>(decoder, from, into);
  if (last_type(from) == Type::f32 && from.has("rn"))
    into.run = from.has("ftz") ? with_lanes_apart<Op, true> : with_lanes_apart<Op, false>;
}

void decode_ex2(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  decode_op<Ex2>(decoder, from, into);
  if (last_type(from) == Type::f32 && !from.has("ftz") && !from.has("sat"))
    into.run = with_slow_lanes<unary<Ex2, float, false, false>, IsFarBelowZero>;
}

enum Property : uint8_t { kFinite, kInfinite, kNumber, kNan, kNormal, kSubnormal };

template <class T>
bool has_property(T value, uint8_t property) {
  switch (property) {
    case kFinite:
      return std::isfinite(value);
    case kInfinite:
      return std::isinf(value);
    case kNumber:
      return !std::isnan(value);
    case kNan:
      return std::isnan(value);
    case kNormal:
      return std::isnormal(value);
    default:
      return std::fpclassify(value) == FP_SUBNORMAL;
  }
}

template <class T>
void testp(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  write_predicate(warp, i.d, predicate_of([=](int lane) { return has_property(a[lane], i.mode); }));
}

void decode_testp(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  constexpr std::string_view kNames[] = {"finite",     "infinite", "number",
                                         "notanumber", "normal",   "subnormal"};
  for (uint8_t property = 0; property < 6; ++property) {
    if (from.has(kNames[property])) into.mode = property;
  }
  into.run = type == Type::f64 ? testp<double> : testp<float>;
  unary_operands(decoder, from, into, type);
}

void decode_div(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const bool is_float = last_type(from) == Type::f32;
  const bool is_approximate = from.has("approx") && is_float;
  is_approximate ? decode_op<DivApprox>(decoder, from, into) : decode_op<Div>(decoder, from, into);
  if (!is_float || !from.has("rn") || from.has("sat")) return;
  into.run = from.has("ftz") ? with_slow_lanes<binary<Div, float, true, false>, IsZero>
                             : with_slow_lanes<binary<Div, float, false, false>, IsZero>;
}

void decode_fma(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 4);
  if (from.operands[1].negated) return decode_op<FmaOfNegatedProduct>(decoder, from, into);
  if (from.operands[3].negated) return decode_op<FmaOfNegatedAddend>(decoder, from, into);
  decode_op<Fma>(decoder, from, into);
}

constexpr OpRow kRows[] = {
    {"fma", decode_fma},
    {"sqrt", decode_with_lanes_apart<Sqrt>},
    {"rcp", decode_with_lanes_apart<Rcp>},
    {"rsqrt", decode_op<Rsqrt>},
    {"sin", decode_op<Sin>},
    {"cos", decode_op<Cos>},
    {"ex2", decode_ex2},
    {"lg2", decode_op<Lg2>},
    {"tanh", decode_op<Tanh>},
    {"copysign", decode_op<CopySign>},
    {"testp", decode_testp},
};

/// Opcodes that exist for integers, too; their rows are in integer.cpp.
constexpr OpRow kShared[] = {
    {"add", decode_op<Add>},      {"sub", decode_op<Sub>}, {"mul", decode_op<Mul>},
    {"mad", decode_op<Fma>},      {"div", decode_div},     {"min", decode_min_max<Min>},
    {"max", decode_min_max<Max>}, {"neg", decode_op<Neg>}, {"abs", decode_op<Abs>},
};

}  // namespace

void decode_float(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  for (const OpRow& row : kShared) {
    if (row.opcode == from.opcode) return row.decode(decoder, from, into);
  }
  require(false, from);
}

const std::span<const OpRow> kFloatOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
