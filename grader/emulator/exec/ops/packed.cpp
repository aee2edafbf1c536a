// SPDX-License-Identifier: MIT
// PTX ISA 9.7.4, half-precision arithmetic: f16, bf16 and their pairs; and the pairs of 16-bit
// integers of 9.7.1. Each result is rounded once.

#include <algorithm>

#include "emulator/exec/ops/half.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

// Operands are exact as doubles; results are exact, or rounded to odd.
struct Add {
  double operator()(double a, double b) const { return sum_to_odd(a, b); }
};
struct Sub {
  double operator()(double a, double b) const { return sum_to_odd(a, -b); }
};
struct Mul {
  double operator()(double a, double b) const { return a * b; }
};
struct Fma {
  double operator()(double a, double b, double c) const { return sum_to_odd(a * b, c); }
};
struct FmaOfNegatedProduct {
  double operator()(double a, double b, double c) const { return sum_to_odd(-a * b, c); }
};
struct FmaOfNegatedAddend {
  double operator()(double a, double b, double c) const { return sum_to_odd(a * b, -c); }
};
struct Min {
  double operator()(double a, double b) const {
    if (a != a) return b;
    return b != b || a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
struct Max {
  double operator()(double a, double b) const {
    if (a != a) return b;
    return b != b || a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
template <class Op>
struct OrNan {
  double operator()(double a, double b) const { return a != a ? a : b != b ? b : Op{}(a, b); }
};
template <class Op>
struct XorSign {
  double operator()(double a, double b) const {
    const double sign = std::signbit(a) != std::signbit(b) ? -1 : 1;
    return std::copysign(Op{}(std::fabs(a), std::fabs(b)), sign);
  }
};
struct Neg {
  double operator()(double a) const { return -a; }
};
struct Abs {
  double operator()(double a) const { return std::fabs(a); }
};
struct Ex2 {
  double operator()(double a) const { return std::exp2(a); }
};
struct Tanh {
  double operator()(double a) const { return std::tanh(a); }
};

enum Mode : uint8_t { kFlush = 1, kSaturate = 2, kRelu = 4 };

template <class T>
double in(T value, uint8_t mode) {
  return static_cast<double>(to_float((mode & kFlush) != 0 ? flush_half(value) : value));
}

template <class T>
T out(double value, uint8_t mode) {
  if ((mode & kSaturate) != 0) value = saturate(value);
  if ((mode & kRelu) != 0 && value <= 0) value = 0;
  const T result = narrow<T>(value);
  return (mode & kFlush) != 0 ? flush_half(result) : result;
}

/// Elements lie one after another: lane after lane, the lower of a pair first.
template <class Op, class T, int Elements>
void arithmetic(Warp& warp, const Instruction& i) {
  constexpr bool kUnary = std::is_invocable_v<Op, double>,
                 kBinary = std::is_invocable_v<Op, double, double>;
  const uint8_t mode = i.mode;
  T* const d = warp.reg<T>(i.d);
  const T* const a = warp.reg<T>(i.a);
  const T* const b = kUnary ? a : warp.reg<T>(i.b);
  const T* const c = kUnary || kBinary ? a : warp.reg<T>(i.c);
  for_each_lane(warp.mask, [=](int lane) {
    for (int at = lane * Elements; at < (lane + 1) * Elements; ++at) {
      if constexpr (kUnary)
        d[at] = out<T>(Op{}(in(a[at], mode)), mode);
      else if constexpr (kBinary)
        d[at] = out<T>(Op{}(in(a[at], mode), in(b[at], mode)), mode);
      else
        d[at] = out<T>(Op{}(in(a[at], mode), in(b[at], mode), in(c[at], mode)), mode);
    }
  });
}

template <class Op>
Handler handler_for(Type type) {
  switch (type) {
    case Type::f16:
      return arithmetic<Op, Half, 1>;
    case Type::f16x2:
      return arithmetic<Op, Half, 2>;
    case Type::bf16:
      return arithmetic<Op, Bfloat, 1>;
    case Type::bf16x2:
      return arithmetic<Op, Bfloat, 2>;
    default:
      return nullptr;
  }
}

template <class Op>
Handler min_max_handler(const ptx::Instruction& from, Type type) {
  if (from.has("xorsign"))
    return from.has("NaN") ? handler_for<XorSign<OrNan<Op>>>(type) : handler_for<XorSign<Op>>(type);
  return from.has("NaN") ? handler_for<OrNan<Op>>(type) : handler_for<Op>(type);
}

Handler fma_handler(const ptx::Instruction& from, Type type) {
  if (from.operands.size() != 4) return nullptr;
  if (from.operands[1].negated) return handler_for<FmaOfNegatedProduct>(type);
  return from.operands[3].negated ? handler_for<FmaOfNegatedAddend>(type) : handler_for<Fma>(type);
}

Handler half_handler(const ptx::Instruction& from, Type type) {
  const std::string_view opcode = from.opcode;
  if (opcode == "add") return handler_for<Add>(type);
  if (opcode == "sub") return handler_for<Sub>(type);
  if (opcode == "mul") return handler_for<Mul>(type);
  if (opcode == "fma") return fma_handler(from, type);
  if (opcode == "min") return min_max_handler<Min>(from, type);
  if (opcode == "max") return min_max_handler<Max>(from, type);
  if (opcode == "neg") return handler_for<Neg>(type);
  if (opcode == "abs") return handler_for<Abs>(type);
  if (opcode == "ex2") return handler_for<Ex2>(type);
  return opcode == "tanh" ? handler_for<Tanh>(type) : nullptr;
}

struct AddWhole {
  int32_t operator()(int32_t a, int32_t b) const { return a + b; }
};
struct MinWhole {
  int32_t operator()(int32_t a, int32_t b) const { return std::min(a, b); }
};
struct MaxWhole {
  int32_t operator()(int32_t a, int32_t b) const { return std::max(a, b); }
};

template <class Op, class T>
void whole_pairs(Warp& warp, const Instruction& i) {
  const uint32_t *a = warp.reg<uint32_t>(i.a), *b = warp.reg<uint32_t>(i.b);
  const int32_t floor = (i.mode & kRelu) != 0 ? 0 : INT32_MIN;
  const auto element = [=](uint32_t x, uint32_t y) {
    const int32_t result = Op{}(static_cast<T>(x), static_cast<T>(y));
    return static_cast<uint32_t>(std::max(result, floor)) & 0xFFFF;
  };
  write_lanes<uint32_t>(warp, i.d, [=](int lane) {
    return element(a[lane], b[lane]) | element(a[lane] >> 16, b[lane] >> 16) << 16;
  });
}

template <class Op>
Handler whole_handler(Type type) {
  return type == Type::s16x2   ? whole_pairs<Op, int16_t>
         : type == Type::u16x2 ? whole_pairs<Op, uint16_t>
                               : nullptr;
}
Handler whole_handler(const ptx::Instruction& from, Type type) {
  if (from.opcode == "add") return whole_handler<AddWhole>(type);
  if (from.opcode == "min") return whole_handler<MinWhole>(type);
  return from.opcode == "max" ? whole_handler<MaxWhole>(type) : nullptr;
}

}  // namespace

bool is_packed(Type type) {
  return handler_for<Add>(type) != nullptr || whole_handler<AddWhole>(type) != nullptr;
}

void decode_packed(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = half_handler(from, type);
  if (into.run == nullptr) into.run = whole_handler(from, type);
  require(into.run != nullptr && !from.has("oob"), from);
  into.mode =
      static_cast<uint8_t>((from.has("ftz") ? kFlush : 0) | (from.has("sat") ? kSaturate : 0) |
                           (from.has("relu") ? kRelu : 0));
  const size_t sources = from.operands.size();
  unary_operands(decoder, from, into, type);
  if (sources >= 3) into.b = decoder.source(from.operands[2], type);
  if (sources >= 4) into.c = decoder.source(from.operands[3], type);
  require(sources == (from.opcode == "fma" ? 4u
                      : from.opcode == "neg" || from.opcode == "abs" || from.opcode == "ex2" ||
                              from.opcode == "tanh"
                          ? 2u
                          : 3u),
          from);
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
