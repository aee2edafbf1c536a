// SPDX-License-Identifier: MIT
// PTX ISA 9.7.6, comparison and selection.

#include "emulator/exec/ops/half.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

struct Eq {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct Ne {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b || a > b;
  }
};
struct Lt {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct Le {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct Ge {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};
struct Num {
  template <class T>
  bool operator()(T a, T b) const {
    return a == a && b == b;
  }
};
/// True as well when an operand is a NaN: equ, neu, ltu...
template <class Op>
struct Unordered {
  template <class T>
  bool operator()(T a, T b) const {
    return a != a || b != b || Op{}(a, b);
  }
};
struct Nan {
  template <class T>
  bool operator()(T a, T b) const {
    return a != a || b != b;
  }
};

enum Combine : uint8_t { kPlain, kAnd, kOr, kXor };

uint32_t combine(Warp& warp, const Instruction& i, uint32_t bits) {
  if (i.mode == kPlain) return bits;
  uint32_t other = warp.predicate(i.c);
  if (i.immediate != 0) other = ~other;
  return i.mode == kAnd ? bits & other : i.mode == kOr ? bits | other : bits ^ other;
}

template <bool Ftz, class T>
auto comparable(T value) {
  if constexpr (kIsHalf<T>)
    return to_float(Ftz ? flush_half(value) : value);
  else if constexpr (Ftz)
    return flush(value);
  else
    return value;
}

template <class Op, class T, bool Ftz>
uint32_t compare(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  return predicate_of(
      [=](int lane) { return Op{}(comparable<Ftz>(a[lane]), comparable<Ftz>(b[lane])); });
}

/// One element of each lane's pair.
template <class Op, class P, bool Ftz>
uint32_t compare_element(Warp& warp, const Instruction& i, int element) {
  const P *a = warp.reg<P>(i.a), *b = warp.reg<P>(i.b);
  return predicate_of([=](int lane) {
    return Op{}(comparable<Ftz>(a[lane].elements[element]),
                comparable<Ftz>(b[lane].elements[element]));
  });
}

/// d = predicate, and in `q` of `p|q` its complement.
template <class Op, class T, bool Ftz>
void setp_plain(Warp& warp, const Instruction& i) {
  const uint32_t bits = compare<Op, T, Ftz>(warp, i);
  const uint32_t complement = combine(warp, i, ~bits);
  write_predicate(warp, i.d, combine(warp, i, bits));
  write_predicate(warp, i.e, complement);
}

/// For a pair, `p|q` are the lower and the upper element's results.
template <class Op, class T, bool Ftz = false>
void setp(Warp& warp, const Instruction& i) {
  if constexpr (kIsPair<T>) {
    const uint32_t low = combine(warp, i, compare_element<Op, T, Ftz>(warp, i, 0));
    const uint32_t high = combine(warp, i, compare_element<Op, T, Ftz>(warp, i, 1));
    write_predicate(warp, i.d, low);
    write_predicate(warp, i.e, high);
  } else {
    setp_plain<Op, T, Ftz>(warp, i);
  }
}

/// What `set` writes where the comparison holds: Instruction::bytes.
enum Truth : uint8_t { kOnes, kFloatOne, kHalfOne, kBfloatOne };
constexpr uint16_t kHalfTruth[] = {0xFFFF, 0, 0x3C00, 0x3F80};

/// d = 1.0 or all ones where the comparison holds.
template <class Op, class T, bool Ftz = false>
void set(Warp& warp, const Instruction& i) {
  const uint8_t truth = i.bytes;
  if constexpr (kIsPair<T>) {
    const uint32_t low = combine(warp, i, compare_element<Op, T, Ftz>(warp, i, 0)),
                   high = combine(warp, i, compare_element<Op, T, Ftz>(warp, i, 1));
    const uint32_t half = kHalfTruth[truth];
    write_lanes<uint32_t>(warp, i.d, [=](int lane) {
      return ((low >> lane & 1) != 0 ? half : 0u) | ((high >> lane & 1) != 0 ? half << 16 : 0u);
    });
  } else {
    const uint32_t bits = combine(warp, i, compare<Op, T, Ftz>(warp, i));
    if (truth >= kHalfOne) {
      return write_lanes<uint16_t>(warp, i.d, [=](int lane) {
        return (bits >> lane & 1) != 0 ? kHalfTruth[truth] : uint16_t{0};
      });
    }
    const uint32_t word = truth == kFloatOne ? std::bit_cast<uint32_t>(1.0f) : ~0u;
    write_lanes<uint32_t>(warp, i.d, [=](int lane) { return (bits >> lane & 1) != 0 ? word : 0u; });
  }
}

template <class Op, template <class, class, bool> class Make>
Handler handler_of_type(Type type, bool ftz) {
  switch (type) {
    case Type::b16:
    case Type::u16:
      return Make<Op, uint16_t, false>::kHandler;
    case Type::b32:
    case Type::u32:
      return Make<Op, uint32_t, false>::kHandler;
    case Type::b64:
    case Type::u64:
      return Make<Op, uint64_t, false>::kHandler;
    case Type::s16:
      return Make<Op, int16_t, false>::kHandler;
    case Type::s32:
      return Make<Op, int32_t, false>::kHandler;
    case Type::s64:
      return Make<Op, int64_t, false>::kHandler;
    case Type::f32:
      return ftz ? Make<Op, float, true>::kHandler : Make<Op, float, false>::kHandler;
    case Type::f64:
      return Make<Op, double, false>::kHandler;
    case Type::f16:
      return ftz ? Make<Op, Half, true>::kHandler : Make<Op, Half, false>::kHandler;
    case Type::f16x2:
      return ftz ? Make<Op, Pair<Half>, true>::kHandler : Make<Op, Pair<Half>, false>::kHandler;
    case Type::bf16:
      return Make<Op, Bfloat, false>::kHandler;
    case Type::bf16x2:
      return Make<Op, Pair<Bfloat>, false>::kHandler;
    default:
      return nullptr;
  }
}

template <template <class, class, bool> class Make>
Handler handler_of(const ptx::Instruction& from, Type type) {
  const bool ftz = from.has("ftz");
  struct Row {
    std::string_view name;
    Handler (*make)(Type, bool);
  };
  constexpr Row kRows[] = {
      {"eq", handler_of_type<Eq, Make>},
      {"ne", handler_of_type<Ne, Make>},
      {"lt", handler_of_type<Lt, Make>},
      {"le", handler_of_type<Le, Make>},
      {"gt", handler_of_type<Gt, Make>},
      {"ge", handler_of_type<Ge, Make>},
      {"lo", handler_of_type<Lt, Make>},
      {"ls", handler_of_type<Le, Make>},
      {"hi", handler_of_type<Gt, Make>},
      {"hs", handler_of_type<Ge, Make>},
      {"num", handler_of_type<Num, Make>},
      {"nan", handler_of_type<Nan, Make>},
      {"equ", handler_of_type<Unordered<Eq>, Make>},
      {"neu", handler_of_type<Unordered<Ne>, Make>},
      {"ltu", handler_of_type<Unordered<Lt>, Make>},
      {"leu", handler_of_type<Unordered<Le>, Make>},
      {"gtu", handler_of_type<Unordered<Gt>, Make>},
      {"geu", handler_of_type<Unordered<Ge>, Make>},
  };
  for (const Row& row : kRows) {
    if (from.modifiers.front() == row.name) return row.make(type, ftz);
  }
  return nullptr;
}

template <class Op, class T, bool Ftz>
struct MakeSetp {
  static constexpr Handler kHandler = setp<Op, T, Ftz>;
};
template <class Op, class T, bool Ftz>
struct MakeSet {
  static constexpr Handler kHandler = set<Op, T, Ftz>;
};

void decode_combination(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  into.mode = from.has("and") ? kAnd : from.has("or") ? kOr : from.has("xor") ? kXor : kPlain;
  if (into.mode == kPlain) return;
  require_operands(from, 4);
  into.c = decoder.source(from.operands[3], Type::pred);
  into.immediate = from.operands[3].negated;
}

void decode_setp(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  require(!from.modifiers.empty(), from);
  require_operands(from, 3);
  into.run = handler_of<MakeSetp>(from, type);
  require(into.run != nullptr, from);
  const ptx::Operand& target = from.operands[0];
  if (target.kind == ptx::Operand::Kind::vector && target.elements.size() == 2) {
    into.d = decoder.destination(target.elements[0]);
    into.e = decoder.destination(target.elements[1]);
  } else {
    into.d = decoder.destination(target);
  }
  into.a = decoder.source(from.operands[1], type);
  into.b = decoder.source(from.operands[2], type);
  decode_combination(decoder, from, into);
}

Truth truth_of(Type target) {
  if (target == Type::f16 || target == Type::f16x2) return kHalfOne;
  if (target == Type::bf16 || target == Type::bf16x2) return kBfloatOne;
  return target == Type::f32 ? kFloatOne : kOnes;
}

void decode_set(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  require(!from.modifiers.empty(), from);
  into.run = handler_of<MakeSet>(from, type);
  require(into.run != nullptr, from);
  binary_operands(decoder, from, into, type);
  for (const std::string_view modifier : from.modifiers) {
    if (const Type first = ptx::type_named(modifier); first != Type::none) {
      into.bytes = truth_of(first);
      break;
    }
  }
  decode_combination(decoder, from, into);
}

template <class T>
void selp(Warp& warp, const Instruction& i) {
  const uint32_t choice = warp.predicate(i.c);
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  write_lanes<T>(warp, i.d,
                 [=](int lane) { return (choice >> lane & 1) != 0 ? a[lane] : b[lane]; });
}
template <class T>
struct MakeSelp {
  static constexpr Handler kHandler = selp<T>;
};

void decode_selp(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  require_operands(from, 4);
  into.run = for_bits<MakeSelp>(type);
  require(into.run != nullptr && type != Type::pred, from);
  binary_operands(decoder, from, into, type);
  into.c = decoder.source(from.operands[3], Type::pred);
}

/// d = c >= 0 ? a : b
template <class T, class C>
void slct(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  const C* c = warp.reg<C>(i.c);
  write_lanes<T>(warp, i.d, [=](int lane) { return c[lane] >= C(0) ? a[lane] : b[lane]; });
}

void decode_slct(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type selector = last_type(from);
  Type type = Type::none;
  for (const std::string_view modifier : from.modifiers) {
    if (type == Type::none) type = ptx::type_named(modifier);
  }
  const bool wide = ptx::size_of(type) == 8;
  if (selector == Type::f32) into.run = wide ? slct<uint64_t, float> : slct<uint32_t, float>;
  if (selector == Type::s32) into.run = wide ? slct<uint64_t, int32_t> : slct<uint32_t, int32_t>;
  require(into.run != nullptr && ptx::size_of(type) >= 4, from);
  require_operands(from, 4);
  binary_operands(decoder, from, into, type);
  into.c = decoder.source(from.operands[3], selector);
}

constexpr OpRow kRows[] = {
    {"setp", decode_setp}, {"set", decode_set}, {"selp", decode_selp}, {"slct", decode_slct}};

}  // namespace

const std::span<const OpRow> kCompareOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
