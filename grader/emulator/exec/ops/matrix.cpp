// SPDX-License-Identifier: MIT
// PTX ISA 9.7.14, warp-level matrix multiply-accumulate: wmma and mma.sync.

#include <algorithm>
#include <array>
#include <charconv>

#include "emulator/counters/footprint.h"
#include "emulator/counters/matrix_cost.h"
#include "emulator/exec/access.h"
#include "emulator/exec/ops/fp8.h"
#include "emulator/exec/ops/half.h"
#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

// Theory of operation. A matrix is spread over the warp's registers as fragments. Each instruction
// gathers the matrices that it needs into arrays, does its work there, and spreads the result.
// mma.sync uses the layouts that the ISA gives; those of wmma are left open by the ISA, and here
// element n of the matrix simply follows element n-1 through sub-elements, registers and lanes.

enum class Kind : uint8_t { f16, bf16, tf32, f32, f64, e4m3, e5m2, s32, s8, u8, s4, u4, b1 };

struct KindRow {
  std::string_view name;
  Kind kind;
  uint8_t bits;
};
constexpr KindRow kKinds[] = {
    {"f16", Kind::f16, 16},  {"bf16", Kind::bf16, 16}, {"tf32", Kind::tf32, 32},
    {"f32", Kind::f32, 32},  {"f64", Kind::f64, 64},   {"e4m3", Kind::e4m3, 8},
    {"e5m2", Kind::e5m2, 8}, {"s32", Kind::s32, 32},   {"s8", Kind::s8, 8},
    {"u8", Kind::u8, 8},     {"s4", Kind::s4, 4},      {"u4", Kind::u4, 4},
    {"b1", Kind::b1, 1},
};

const KindRow* kind_named(std::string_view name) {
  for (const KindRow& row : kKinds) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

enum class Role : uint8_t { a, b, accumulator };

/// How one matrix lies in the registers of the warp.
struct Fragment {
  Role role = Role::a;
  Kind kind = Kind::f16;
  bool is_open = false;  ///< wmma's layout
  unsigned bits = 16, rows = 0, columns = 0;
  std::vector<uint32_t> registers;

  unsigned register_bytes() const { return bits == 64 ? 8 : 4; }
  unsigned per_register() const { return 8 * register_bytes() / bits; }

  /// Index, row by row, of a lane's element `sub` of register `reg`.
  unsigned index(unsigned lane, unsigned reg, unsigned sub) const {
    const unsigned packed = per_register(), group = lane >> 2, member = lane & 3;
    if (is_open) {
      const auto count = static_cast<unsigned>(registers.size());
      return ((lane * count + reg) * packed + sub) % (rows * columns);
    }
    if (role == Role::a)
      return (group + (rows == 16 ? (reg & 1) * 8 : 0)) * columns + member * packed + sub +
             (rows == 16 ? reg / 2 : reg) * 4 * packed;
    if (role == Role::b) return (member * packed + sub + reg * 4 * packed) * columns + group;
    const unsigned element = reg * packed + sub;
    return (group + (element >> 1) * 8) * columns + member * 2 + (element & 1);
  }
};

constexpr unsigned kMaxElements = 32 * 256;
using Elements = std::vector<uint64_t>;

template <class Visit>
void visit_elements(const Fragment& fragment, Visit visit) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned reg = 0; reg < fragment.registers.size(); ++reg) {
      for (unsigned sub = 0; sub < fragment.per_register(); ++sub)
        visit(lane, reg, sub, fragment.index(lane, reg, sub));
    }
  }
}

uint64_t ones(unsigned bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

Elements gather(const Warp& warp, const Fragment& fragment) {
  Elements elements(size_t{fragment.rows} * fragment.columns);
  visit_elements(fragment, [&](unsigned lane, unsigned reg, unsigned sub, unsigned index) {
    const uint64_t whole = fragment.bits == 64 ? warp.reg<uint64_t>(fragment.registers[reg])[lane]
                                               : warp.reg<uint32_t>(fragment.registers[reg])[lane];
    elements[index] = whole >> (sub * fragment.bits % 64) & ones(fragment.bits);
  });
  return elements;
}

void spread(Warp& warp, const Fragment& fragment, const Elements& elements) {
  visit_elements(fragment, [&](unsigned lane, unsigned reg, unsigned sub, unsigned index) {
    if ((warp.mask >> lane & 1) == 0) return;
    if (fragment.bits == 64) {
      warp.reg<uint64_t>(fragment.registers[reg])[lane] = elements[index];
      return;
    }
    uint32_t& word = warp.reg<uint32_t>(fragment.registers[reg])[lane];
    const unsigned at = sub * fragment.bits;
    word = (sub == 0 ? 0 : word) | static_cast<uint32_t>(elements[index]) << at;
  });
}

double number(uint64_t bits, Kind kind) {
  const auto word = static_cast<uint32_t>(bits);
  switch (kind) {
    case Kind::f16:
      return static_cast<double>(to_float(Half{static_cast<uint16_t>(bits)}));
    case Kind::bf16:
      return static_cast<double>(to_float(Bfloat{static_cast<uint16_t>(bits)}));
    case Kind::tf32:
      return static_cast<double>(std::bit_cast<float>(word & ~0x1FFFu));
    case Kind::f32:
      return static_cast<double>(std::bit_cast<float>(word));
    case Kind::e4m3:
      return number_of_e4m3(static_cast<uint8_t>(bits));
    case Kind::e5m2:
      return number_of_e5m2(static_cast<uint8_t>(bits));
    default:
      return std::bit_cast<double>(bits);
  }
}

int64_t whole_number(uint64_t bits, Kind kind) {
  switch (kind) {
    case Kind::s8:
      return static_cast<int8_t>(bits);
    case Kind::s4:
      return static_cast<int8_t>(bits << 4) >> 4;
    case Kind::s32:
      return static_cast<int32_t>(bits);
    default:
      return static_cast<int64_t>(bits);
  }
}

uint64_t bits_of(double value, Kind kind) {
  if (kind == Kind::f16) return narrow<Half>(value).bits;
  if (kind == Kind::f64) return std::bit_cast<uint64_t>(value);
  return std::bit_cast<uint32_t>(canonical(static_cast<float>(value)));
}

enum Mode : uint8_t { kPlain, kSaturate, kXorPopc, kAndPopc };

/// d, a, b, c. The sums are more exact than the hardware's, which the ISA leaves open.
uint64_t float_element(const std::array<Fragment, 4>& f, const std::array<Elements, 4>& values,
                       unsigned row, unsigned column) {
  double sum = number(values[3][row * f[3].columns + column], f[3].kind);
  for (unsigned k = 0; k < f[1].columns; ++k) {
    sum = std::fma(number(values[1][row * f[1].columns + k], f[1].kind),
                   number(values[2][k * f[2].columns + column], f[2].kind), sum);
  }
  return bits_of(sum, f[0].kind);
}

uint64_t whole_element(const std::array<Fragment, 4>& f, const std::array<Elements, 4>& values,
                       unsigned row, unsigned column, uint8_t mode) {
  int64_t sum = whole_number(values[3][row * f[3].columns + column], Kind::s32);
  for (unsigned k = 0; k < f[1].columns; ++k) {
    const int64_t a = whole_number(values[1][row * f[1].columns + k], f[1].kind),
                  b = whole_number(values[2][k * f[2].columns + column], f[2].kind);
    sum += mode == kXorPopc ? a ^ b : a * b;
  }
  if (mode == kSaturate) sum = std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
  return static_cast<uint32_t>(sum);
}

/// Fragments do not fit an Instruction: they are written into its detail and read back.
void save(const Fragment& fragment, Detail& detail) {
  detail.more.insert(detail.more.end(),
                     {static_cast<uint32_t>(fragment.role), static_cast<uint32_t>(fragment.kind),
                      fragment.is_open, fragment.bits, fragment.rows, fragment.columns,
                      static_cast<uint32_t>(fragment.registers.size())});
  detail.registers.insert(detail.registers.end(), fragment.registers.begin(),
                          fragment.registers.end());
}

Fragment restored(const Detail& detail, size_t& field, size_t& reg) {
  const uint32_t* const saved = detail.more.data() + field;
  Fragment fragment;
  fragment.role = static_cast<Role>(saved[0]);
  fragment.kind = static_cast<Kind>(saved[1]);
  fragment.is_open = saved[2] != 0;
  fragment.bits = saved[3];
  fragment.rows = saved[4];
  fragment.columns = saved[5];
  const auto first = detail.registers.begin() + static_cast<long>(reg);
  fragment.registers.assign(first, first + saved[6]);
  field += 7;
  reg += saved[6];
  return fragment;
}

const Detail& detail_of(const Warp& warp, const Instruction& i) {
  return warp.worker->launch->module->program.details[i.detail];
}

void multiply(Warp& warp, const Instruction& i) {
  const Detail& detail = detail_of(warp, i);
  std::array<Fragment, 4> fragments;
  std::array<Elements, 4> values;
  size_t field = 0, reg = 0;
  for (size_t n = 0; n < 4; ++n) {
    fragments[n] = restored(detail, field, reg);
    values[n] = gather(warp, fragments[n]);
  }
  const bool whole = fragments[0].kind == Kind::s32;
  Elements result(values[0].size());
  for (unsigned row = 0; row < fragments[0].rows; ++row) {
    for (unsigned column = 0; column < fragments[0].columns; ++column) {
      result[row * fragments[0].columns + column] =
          whole ? whole_element(fragments, values, row, column, i.mode)
                : float_element(fragments, values, row, column);
    }
  }
  spread(warp, fragments[0], result);
}

uint8_t* place(Warp& warp, const Instruction& i, uint64_t address, unsigned bytes, bool write) {
  const int lane = first_lane(warp.mask);
  return i.elements == 2 ? shared_pointer(warp, i, lane, address, bytes, write)
                         : lane_pointer(warp, i, lane, address, bytes, write);
}

/// Tells the sample of the launch of a matrix's requests.
SeeRequest sampled(const Warp& warp, bool write) {
  return [&warp, write](AccessMemo& memo, uint64_t base, unsigned bytes) {
    Footprint& footprint = *warp.worker->footprint;
    memo.allocation = warp.worker->launch->memory->find(base);
    write ? footprint.store(warp.index, memo, base, bytes)
          : footprint.load(warp.index, memo, base, bytes);
  };
}

/// Visits the lines of a matrix in memory, each of which is contiguous: visit(line, host address).
/// b: the distance of two lines in elements; i.mode: lines are columns.
template <class Visit>
void visit_lines(Warp& warp, const Instruction& i, const Fragment& fragment, bool write,
                 Visit visit) {
  const int lane = first_lane(warp.mask);
  const uint64_t base =
      (i.bytes == 4 ? warp.reg<uint32_t>(i.a)[lane] : warp.reg<uint64_t>(i.a)[lane]) +
      static_cast<uint64_t>(i.immediate);
  const unsigned lines = i.mode != 0 ? fragment.columns : fragment.rows,
                 length = i.mode != 0 ? fragment.rows : fragment.columns;
  const uint64_t stride = i.b == kNoRegister ? length : warp.reg<uint32_t>(i.b)[lane];
  const bool natural = (fragment.role == Role::b) == (i.mode != 0);
  SeeRequest see;
  if (warp.worker->footprint != nullptr) see = sampled(warp, write);
  count_matrix(warp.worker->counts[i.pc],
               {base, stride * fragment.bits / 8, lines, length, fragment.bits,
                fragment.role == Role::accumulator, natural},
               i.elements == 2 || is_shared_address(base), write, see);
  for (unsigned line = 0; line < lines; ++line) {
    const uint64_t address = base + line * stride * fragment.bits / 8;
    const unsigned bytes = std::max(length * fragment.bits / 8, 1u);
    if (uint8_t* const host = place(warp, i, address, bytes, write)) visit(line, host);
  }
}

size_t index_of(const Instruction& i, const Fragment& fragment, unsigned line, unsigned at) {
  return i.mode != 0 ? at * fragment.columns + line : line * fragment.columns + at;
}

uint64_t memory_element(const uint8_t* host, unsigned at, unsigned bits) {
  uint64_t value = 0;
  std::memcpy(&value, host + at * bits / 8, std::max(bits / 8, 1u));
  return value >> (at * bits % 8) & ones(bits);
}

void load_matrix(Warp& warp, const Instruction& i) {
  size_t field = 0, reg = 0;
  const Fragment fragment = restored(detail_of(warp, i), field, reg);
  Elements elements(size_t{fragment.rows} * fragment.columns);
  visit_lines(warp, i, fragment, false, [&](unsigned line, const uint8_t* host) {
    const unsigned length = i.mode != 0 ? fragment.rows : fragment.columns;
    for (unsigned at = 0; at < length; ++at)
      elements[index_of(i, fragment, line, at)] = memory_element(host, at, fragment.bits);
  });
  spread(warp, fragment, elements);
}

void store_matrix(Warp& warp, const Instruction& i) {
  size_t field = 0, reg = 0;
  const Fragment fragment = restored(detail_of(warp, i), field, reg);
  const Elements elements = gather(warp, fragment);
  const unsigned bytes = fragment.bits / 8;
  visit_lines(warp, i, fragment, true, [&](unsigned line, uint8_t* host) {
    const unsigned length = i.mode != 0 ? fragment.rows : fragment.columns;
    for (unsigned at = 0; at < length; ++at)
      std::memcpy(host + at * bytes, &elements[index_of(i, fragment, line, at)], bytes);
  });
}

struct Shape {
  unsigned m = 0, n = 0, k = 0;
};

/// "m16n8k16"
Shape shape_of(const ptx::Instruction& from) {
  for (const std::string_view modifier : from.modifiers) {
    const size_t n = modifier.find('n'), k = modifier.find('k');
    if (!modifier.starts_with('m') || k == std::string_view::npos || n > k) continue;
    Shape shape;
    std::from_chars(modifier.data() + 1, modifier.data() + n, shape.m);
    std::from_chars(modifier.data() + n + 1, modifier.data() + k, shape.n);
    std::from_chars(modifier.data() + k + 1, modifier.data() + modifier.size(), shape.k);
    const bool sane = shape.m <= 32 && shape.n <= 32 && shape.k <= 256;
    require(sane && shape.m > 0 && shape.n > 0 && shape.k > 0, from);
    return shape;
  }
  throw Unsupported{std::string(from.text) + " has no shape"};
}

Fragment fragment_of(Decoder& decoder, const ptx::Instruction& from, const ptx::Operand& operand,
                     Role role, std::string_view kind, bool is_destination) {
  const Shape shape = shape_of(from);
  const KindRow* const row = kind_named(kind);
  const bool is_fp8 = row != nullptr && (row->kind == Kind::e4m3 || row->kind == Kind::e5m2);
  require(row != nullptr && !(is_fp8 && from.opcode == "wmma"), from);
  Fragment fragment;
  fragment.role = role;
  fragment.kind = row->kind;
  fragment.bits = row->bits;
  fragment.is_open = from.opcode == "wmma";
  fragment.rows = role == Role::b ? shape.k : shape.m;
  fragment.columns = role == Role::a ? shape.k : shape.n;
  const Type type = row->bits == 64 ? Type::b64 : Type::b32;
  const std::vector<ptx::Operand> single{operand};
  const bool vector = operand.kind == ptx::Operand::Kind::vector;
  for (const ptx::Operand& element : vector ? operand.elements : single) {
    require(element.reg < 0 || decoder.register_bytes(element) == fragment.register_bytes(), from);
    fragment.registers.push_back(is_destination ? decoder.destination(element)
                                                : decoder.source(element, type));
    require(fragment.registers.back() != kNoRegister, from);
  }
  // Every element must have its place.
  const size_t held = fragment.registers.size() * fragment.per_register() * kWarpSize,
               needed = size_t{fragment.rows} * fragment.columns;
  require(needed <= kMaxElements && (fragment.is_open ? held >= needed : held == needed), from);
  bool inside = true;
  visit_elements(fragment,
                 [&](unsigned, unsigned, unsigned, unsigned index) { inside &= index < needed; });
  require(inside, from);
  return fragment;
}

void decode_matrix_access(Decoder& decoder, const ptx::Instruction& from, Instruction& into,
                          bool is_load) {
  require_operands(from, 2);
  const ptx::Operand& address = from.operands[is_load ? 1 : 0];
  const ptx::Operand& registers = from.operands[is_load ? 0 : 1];
  const Role role = from.has("a") ? Role::a : from.has("b") ? Role::b : Role::accumulator;
  const Fragment fragment =
      fragment_of(decoder, from, registers, role, from.modifiers.back(), is_load);
  into.run = is_load ? load_matrix : store_matrix;
  into.mode = from.has("col");
  decoder.address(address, into);
  into.bytes = address.reg >= 0 ? static_cast<uint8_t>(decoder.register_bytes(address)) : 8;
  into.elements = from.has("shared") || from.has("shared::cta") ? 2 : 1;
  if (from.operands.size() > 2) into.b = decoder.source(from.operands[2], Type::u32);
  save(fragment, decoder.new_detail(into));
}

/// The four kinds of d, a, b, c. wmma of f16 names only those of d and c.
std::array<std::string_view, 4> kinds_of(const ptx::Instruction& from) {
  std::vector<std::string_view> names;
  for (const std::string_view modifier : from.modifiers) {
    if (kind_named(modifier) != nullptr) names.push_back(modifier);
  }
  if (names.size() == 2) return {names[0], "f16", "f16", names[1]};
  require(names.size() == 4, from);
  return {names[0], names[1], names[2], names[3]};
}

/// mma of 8-bit floats has forms of its own; wmma has none.
bool is_known_fp8_form(const ptx::Instruction& from, const Shape& shape,
                       const std::array<std::string_view, 4>& kinds) {
  const auto is_fp8 = [](std::string_view kind) { return kind == "e4m3" || kind == "e5m2"; };
  if (std::none_of(kinds.begin(), kinds.end(), is_fp8)) return true;
  const auto sums = [](std::string_view kind) { return kind == "f16" || kind == "f32"; };
  return from.opcode == "mma" && shape.m == 16 && shape.n == 8 &&
         (shape.k == 16 || shape.k == 32) && is_fp8(kinds[1]) && is_fp8(kinds[2]) &&
         sums(kinds[0]) && sums(kinds[3]);
}

void decode_multiply(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 4);
  const auto kinds = kinds_of(from);
  constexpr Role kRoles[] = {Role::accumulator, Role::a, Role::b, Role::accumulator};
  const Shape shape = shape_of(from);
  // m8n8k4 of f16 is Volta's own layout.
  require(from.opcode == "wmma" || shape.k != 4 || kinds[1] != "f16", from);
  require(is_known_fp8_form(from, shape, kinds), from);
  std::array<Fragment, 4> fragments;
  for (size_t n = 0; n < 4; ++n)
    fragments[n] = fragment_of(decoder, from, from.operands[n], kRoles[n], kinds[n], n == 0);
  into.run = multiply;
  const bool xor_popc = from.has("xor"), and_popc = from.has("and");
  into.mode = from.has("satfinite") ? kSaturate
              : xor_popc            ? kXorPopc
              : and_popc            ? kAndPopc
                                    : kPlain;
  Detail& detail = decoder.new_detail(into);
  for (const Fragment& fragment : fragments) save(fragment, detail);
}

void decode_wmma(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  if (from.has("load")) return decode_matrix_access(decoder, from, into, true);
  if (from.has("store")) return decode_matrix_access(decoder, from, into, false);
  require(from.has("mma"), from);
  decode_multiply(decoder, from, into);
}

void decode_mma(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require(from.has("sync") && !from.has("sp"), from);
  decode_multiply(decoder, from, into);
}

constexpr OpRow kRows[] = {
    {"wmma", decode_wmma},
    {"mma", decode_mma},
};

}  // namespace

const std::span<const OpRow> kMatrixOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
