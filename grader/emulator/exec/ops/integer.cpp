// SPDX-License-Identifier: MIT
// PTX ISA 9.7.1, integer arithmetic; products are in multiply.cpp, carries in extended.cpp.

#include <algorithm>

#include "emulator/exec/ops/functors.h"
#include "emulator/exec/ops/integer.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

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
struct Sad {
  template <class T>
  T operator()(T a, T b, T c) const {
    return Add{}(c, a < b ? Sub{}(b, a) : Sub{}(a, b));
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

}  // namespace

// The floating-point forms of these opcodes live in float.cpp.
void decode_float(Decoder& decoder, const ptx::Instruction& from, Instruction& into);
// Those that set the carry flag, in extended.cpp.
void decode_add_cc(Decoder& decoder, const ptx::Instruction& from, Instruction& into);

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

template <class Op>
void decode_ternary(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = for_integer<Ternary<Op>::template Of>(type);
  require(into.run != nullptr && !from.has("hi"), from);
  require_operands(from, 4);
  binary_operands(decoder, from, into, type);
  into.c = decoder.source(from.operands[3], type);
}

constexpr OpRow kRows[] = {
    {"add", decode_add<Add, AddSaturated>},
    {"sub", decode_add<Sub, SubSaturated>},
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
