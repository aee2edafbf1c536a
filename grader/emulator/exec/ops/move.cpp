// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9, data movement between registers: mov, cvta, isspacep.

#include "emulator/exec/cluster.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/scheduling.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

template <class T>
void mov(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  write_lanes<T>(warp, i.d, [=](int lane) { return a[lane]; });
}
template <class T>
struct MakeMov {
  static constexpr Handler kHandler = mov<T>;
};

void mov_predicate(Warp& warp, const Instruction& i) {
  write_predicate(warp, i.d, i.mode != 0 ? ~warp.predicate(i.a) : warp.predicate(i.a));
}

/// The address of a `.local` variable depends on how deep the call is.
void mov_local_address(Warp& warp, const Instruction& i) {
  const uint64_t address = warp.frame->local_base + static_cast<uint64_t>(i.immediate);
  write_lanes<uint64_t>(warp, i.d, [=](int) { return address; });
}
void mov_local_address32(Warp& warp, const Instruction& i) {
  const auto address =
      static_cast<uint32_t>(warp.frame->local_base + static_cast<uint64_t>(i.immediate));
  write_lanes<uint32_t>(warp, i.d, [=](int) { return address; });
}

/// Time is counted in instructions of the warp, so that a run repeats exactly.
template <class T, int kShift = 0>
void mov_clock(Warp& warp, const Instruction& i) {
  const T now = static_cast<T>(warp.executed >> kShift);
  write_lanes<T>(warp, i.d, [=](int) { return now; });
}

/// Who reads the device's own clock over and over waits: cuda::barrier of sm_75 does so.
template <class T, int kShift = 0>
void mov_global_timer(Warp& warp, const Instruction& i) {
  mov_clock<T, kShift>(warp, i);
  give_way(warp);
}

/// {a, b, ...} to d: the first element is the lowest.
template <class Whole, class Part>
void pack(Warp& warp, const Instruction& i) {
  constexpr int kParts = sizeof(Whole) / sizeof(Part);
  const uint32_t parts[] = {i.a, i.b, i.c, i.e};
  write_lanes<Whole>(warp, i.d, [&](int lane) {
    Whole whole = 0;
    for (int part = kParts - 1; part >= 0; --part) {
      whole = static_cast<Whole>(whole << (8 * sizeof(Part) % (8 * sizeof(Whole)))) |
              warp.reg<Part>(parts[part])[lane];
    }
    return whole;
  });
}

template <class Whole, class Part>
void unpack(Warp& warp, const Instruction& i) {
  constexpr int kParts = sizeof(Whole) / sizeof(Part);
  const uint32_t parts[] = {i.d, i.b, i.c, i.e};
  Whole whole[kWarpSize];
  std::memcpy(whole, warp.reg<Whole>(i.a), sizeof whole);
  for (int part = 0; part < kParts; ++part) {
    if (parts[part] == kNoRegister) continue;
    write_lanes<Part>(warp, parts[part], [&](int lane) {
      return static_cast<Part>(whole[lane] >> (8 * sizeof(Part) * static_cast<unsigned>(part)));
    });
  }
}

using Wide = unsigned __int128;

Handler pack_handler(unsigned whole, size_t parts) {
  if (whole == 16) return parts == 2 ? pack<Wide, uint64_t> : nullptr;
  if (whole == 8)
    return parts == 2 ? pack<uint64_t, uint32_t> : parts == 4 ? pack<uint64_t, uint16_t> : nullptr;
  return whole == 4 && parts == 2 ? pack<uint32_t, uint16_t> : nullptr;
}
Handler unpack_handler(unsigned whole, size_t parts) {
  if (whole == 16) return parts == 2 ? unpack<Wide, uint64_t> : nullptr;
  if (whole == 8)
    return parts == 2   ? unpack<uint64_t, uint32_t>
           : parts == 4 ? unpack<uint64_t, uint16_t>
                        : nullptr;
  return whole == 4 && parts == 2 ? unpack<uint32_t, uint16_t> : nullptr;
}

void decode_pack(Decoder& decoder, const ptx::Instruction& from, Instruction& into, Type type) {
  const auto& elements = from.operands[1].elements;
  into.run = pack_handler(ptx::size_of(type), elements.size());
  require(into.run != nullptr, from);
  const Type part = ptx::size_of(type) == 16                          ? Type::b64
                    : elements.size() == 4 || ptx::size_of(type) == 4 ? Type::b16
                                                                      : Type::b32;
  into.d = decoder.destination(from.operands[0]);
  uint32_t* const slots[] = {&into.a, &into.b, &into.c, &into.e};
  for (size_t n = 0; n < elements.size(); ++n) *slots[n] = decoder.source(elements[n], part);
}

void decode_unpack(Decoder& decoder, const ptx::Instruction& from, Instruction& into, Type type) {
  const auto& elements = from.operands[0].elements;
  into.run = unpack_handler(ptx::size_of(type), elements.size());
  require(into.run != nullptr, from);
  into.a = decoder.source(from.operands[1], type);
  uint32_t* const slots[] = {&into.d, &into.b, &into.c, &into.e};
  for (size_t n = 0; n < elements.size(); ++n) *slots[n] = decoder.destination(elements[n]);
}

bool decode_clock(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const std::string_view name = from.operands[1].name;
  if (name == "%clock64") into.run = mov_clock<uint64_t>;
  if (name == "%clock") into.run = mov_clock<uint32_t>;
  if (name == "%clock_hi") into.run = mov_clock<uint32_t, 32>;
  if (name == "%globaltimer") into.run = mov_global_timer<uint64_t>;
  if (name == "%globaltimer_lo") into.run = mov_global_timer<uint32_t>;
  if (name == "%globaltimer_hi") into.run = mov_global_timer<uint32_t, 32>;
  if (into.run == nullptr) return false;
  into.d = decoder.destination(from.operands[0]);
  return true;
}

void decode_mov(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const Type type = last_type(from);
  require_operands(from, 2);
  const ptx::Operand& value = from.operands[1];
  if (value.kind == ptx::Operand::Kind::vector) return decode_pack(decoder, from, into, type);
  if (from.operands[0].kind == ptx::Operand::Kind::vector)
    return decode_unpack(decoder, from, into, type);
  if (value.kind == ptx::Operand::Kind::special && decode_clock(decoder, from, into)) return;
  if (const int64_t local = decoder.local_offset(value); local >= 0) {
    into.run = ptx::size_of(type) == 8 ? mov_local_address : mov_local_address32;
    into.immediate = local;
    into.d = decoder.destination(from.operands[0]);
    return;
  }
  into.run = type == Type::pred   ? mov_predicate
             : type == Type::b128 ? mov<Wide>
                                  : for_bits<MakeMov>(type);
  require(into.run != nullptr, from);
  into.mode = value.negated;
  unary_operands(decoder, from, into, type);
}

/// Generic addresses are windows onto the other spaces: going to or from one adds or subtracts its
/// base.
void cvta(Warp& warp, const Instruction& i) {
  const uint64_t* a = warp.reg<uint64_t>(i.a);
  const auto shift = static_cast<uint64_t>(i.immediate);
  write_lanes<uint64_t>(warp, i.d, [=](int lane) { return a[lane] + shift; });
}

void decode_cvta(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require(ptx::size_of(last_type(from)) == 8, from);
  const bool shared = from.has("shared") || from.has("shared::cta") || from.has("shared::cluster");
  const uint64_t base = shared              ? kSharedBase
                        : from.has("local") ? kLocalBase
                        : from.has("param") ? kParameterBase
                                            : 0;
  require_operands(from, 2);
  if (const int64_t local = decoder.local_offset(from.operands[1]); local >= 0) {
    into.run = mov_local_address;
    into.immediate = local + static_cast<int64_t>(kLocalBase);
    into.d = decoder.destination(from.operands[0]);
    return;
  }
  into.run = cvta;
  into.immediate = static_cast<int64_t>(from.has("to") ? 0 - base : base);
  unary_operands(decoder, from, into, Type::u64);
}

template <class InSpace>
void isspacep(Warp& warp, const Instruction& i) {
  const uint64_t* a = warp.reg<uint64_t>(i.a);
  write_predicate(warp, i.d, predicate_of([=](int lane) { return InSpace{}(a[lane]); }));
}
struct InShared {
  bool operator()(uint64_t address) const { return is_shared_address(address); }
};
struct InOwnShared {
  bool operator()(uint64_t address) const {
    return is_shared_address(address) && cluster_place(address - kSharedBase).rank < 0;
  }
};
struct InLocal {
  bool operator()(uint64_t address) const { return is_local_address(address); }
};
struct InGlobal {
  bool operator()(uint64_t address) const {
    return !is_shared_address(address) && !is_local_address(address);
  }
};

void decode_isspacep(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  if (from.has("global")) into.run = isspacep<InGlobal>;
  if (from.has("shared::cluster")) into.run = isspacep<InShared>;
  if (from.has("shared") || from.has("shared::cta")) into.run = isspacep<InOwnShared>;
  if (from.has("local")) into.run = isspacep<InLocal>;
  require(into.run != nullptr, from);
  unary_operands(decoder, from, into, Type::u64);
}

/// mapa d, a, rank: the address in the block of that rank. Instruction::immediate is where shared memory begins.
template <class T>
void mapa(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  const uint32_t* rank = warp.reg<uint32_t>(i.b);
  const auto base = static_cast<uint64_t>(i.immediate);
  const uint32_t own = rank_in(warp.worker->launch->request->cluster, warp.block->index);
  write_lanes<T>(warp, i.d, [=](int lane) {
    const uint64_t offset = cluster_place(a[lane] - base).offset;
    return static_cast<T>(base + (rank[lane] == own ? offset : cluster_offset(rank[lane], offset)));
  });
}

template <class T>
void getctarank(Warp& warp, const Instruction& i) {
  const T* a = warp.reg<T>(i.a);
  const auto base = static_cast<uint64_t>(i.immediate);
  const uint32_t own = rank_in(warp.worker->launch->request->cluster, warp.block->index);
  write_lanes<uint32_t>(warp, i.d, [=](int lane) {
    const int64_t rank = cluster_place(a[lane] - base).rank;
    return rank < 0 ? own : static_cast<uint32_t>(rank);
  });
}

/// Without a space the address is a generic one.
void choose_width(const ptx::Instruction& from, Instruction& into, Handler narrow, Handler wide) {
  const Type type = last_type(from);
  require(type == Type::u32 || type == Type::u64, from);
  into.run = type == Type::u32 ? narrow : wide;
  into.immediate = static_cast<int64_t>(from.has("shared::cluster") ? 0 : kSharedBase);
}

void decode_mapa(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 3);
  choose_width(from, into, mapa<uint32_t>, mapa<uint64_t>);
  into.d = decoder.destination(from.operands[0]);
  into.a = decoder.source(from.operands[1], last_type(from));
  into.b = decoder.source(from.operands[2], Type::u32);
}
void decode_getctarank(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 2);
  choose_width(from, into, getctarank<uint32_t>, getctarank<uint64_t>);
  into.d = decoder.destination(from.operands[0]);
  into.a = decoder.source(from.operands[1], last_type(from));
}

constexpr OpRow kRows[] = {{"mapa", decode_mapa},
                           {"getctarank", decode_getctarank},
                           {"mov", decode_mov},
                           {"cvta", decode_cvta},
                           {"isspacep", decode_isspacep}};

}  // namespace

const std::span<const OpRow> kMoveOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
