// SPDX-License-Identifier: MIT
// PTX ISA 9.7.2, extended-precision integer arithmetic. The carry flag CC.CF is one bit a lane, in
// Warp::carry. A subtraction adds the complement, so it leaves 1 where it did not borrow: nvcc's
// division of 128 bits reads that with addc.

#include "emulator/exec/ops/lanes.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

enum Flags : uint8_t { kCarryIn = 1, kCarryOut = 2, kSubtract = 4 };

void set_carries(Warp& warp, uint32_t carries) {
  warp.carry = (warp.carry & ~warp.mask) | (carries & warp.mask);
}

/// d = a + b + CC.CF, or a - b - 1 + CC.CF
template <class T>
void add(Warp& warp, const Instruction& i) {
  const T *a = warp.reg<T>(i.a), *b = warp.reg<T>(i.b);
  const bool subtracts = (i.mode & kSubtract) != 0;
  const uint32_t carry_in = (i.mode & kCarryIn) != 0 ? warp.carry : subtracts ? kFullMask : 0;
  T results[kWarpSize];
  uint32_t carries = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const T addend = subtracts ? static_cast<T>(~b[lane]) : b[lane];
    const auto wide = static_cast<unsigned __int128>(a[lane]) + addend + (carry_in >> lane & 1);
    results[lane] = static_cast<T>(wide);
    carries |= static_cast<uint32_t>(wide >> (8 * sizeof(T)) & 1) << lane;
  }
  if (i.d != kNoRegister) write_lanes<T>(warp, i.d, [&](int lane) { return results[lane]; });
  if ((i.mode & kCarryOut) != 0) set_carries(warp, carries);
}

/// d = (low or high half of a * b) + c + CC.CF; `Product` is signed for signed types.
template <class T, class Product, bool High>
void mad(Warp& warp, const Instruction& i) {
  using Signed = std::conditional_t<std::is_signed_v<Product>, std::make_signed_t<T>, T>;
  const Signed *a = warp.reg<Signed>(i.a), *b = warp.reg<Signed>(i.b);
  const T* c = warp.reg<T>(i.c);
  const uint32_t carry_in = (i.mode & kCarryIn) != 0 ? warp.carry : 0;
  T results[kWarpSize];
  uint32_t carries = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const Product product = static_cast<Product>(a[lane]) * b[lane];
    const T half = static_cast<T>(High ? product >> (8 * sizeof(T)) : product);
    const unsigned __int128 sum =
        static_cast<unsigned __int128>(half) + c[lane] + (carry_in >> lane & 1);
    results[lane] = static_cast<T>(sum);
    carries |= static_cast<uint32_t>(sum >> (8 * sizeof(T)) & 1) << lane;
  }
  write_lanes<T>(warp, i.d, [&](int lane) { return results[lane]; });
  if ((i.mode & kCarryOut) != 0) set_carries(warp, carries);
}

template <bool High>
Handler mad_handler(Type type) {
  switch (type) {
    case Type::u32:
      return mad<uint32_t, uint64_t, High>;
    case Type::s32:
      return mad<uint32_t, int64_t, High>;
    case Type::u64:
      return mad<uint64_t, unsigned __int128, High>;
    case Type::s64:
      return mad<uint64_t, __int128, High>;
    default:
      return nullptr;
  }
}

template <uint8_t Fixed>
void decode_add(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = ptx::size_of(type) == 8 ? add<uint64_t> : add<uint32_t>;
  into.mode = static_cast<uint8_t>(Fixed | (from.has("cc") ? kCarryOut : 0));
  binary_operands(decoder, from, into, type);
}

template <uint8_t Fixed>
void decode_mad(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  into.run = from.has("hi") ? mad_handler<true>(type) : mad_handler<false>(type);
  require(into.run != nullptr, from);
  into.mode = static_cast<uint8_t>(Fixed | (from.has("cc") ? kCarryOut : 0));
  require_operands(from, 4);
  binary_operands(decoder, from, into, type);
  into.c = decoder.source(from.operands[3], type);
}

constexpr OpRow kRows[] = {
    {"addc", decode_add<kCarryIn>},
    {"subc", decode_add<kCarryIn | kSubtract>},
    {"madc", decode_mad<kCarryIn>},
};

}  // namespace

// add.cc, sub.cc and mad.cc share their opcodes with integer.cpp, which hands them over.
void decode_add_cc(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  from.opcode == "sub" ? decode_add<kSubtract>(decoder, from, into)
                       : decode_add<0>(decoder, from, into);
}
void decode_mad_cc(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  decode_mad<0>(decoder, from, into);
}

const std::span<const OpRow> kExtendedOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
