// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9.25, bulk asynchronous copies and reductions.

#include "emulator/exec/ops/asynchronous.h"
#include "emulator/exec/ops/functors.h"
#include "emulator/exec/ops/lane_traffic.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

/// The lane's bytes at an address of global or shared memory.
uint8_t* bulk_side(Warp& warp, const Instruction& i, int lane, uint64_t address, bool shared,
                   uint32_t bytes, bool write) {
  return shared && !is_shared_address(address)
             ? shared_pointer(warp, i, lane, address, bytes, write)
             : lane_pointer(warp, i, lane, address, bytes, write);
}

enum BulkMode : uint8_t { kFromShared = 1, kToShared = 2, kNarrowFrom = 4, kNarrowTo = 8 };

/// For the time model alone, as 16 bytes a lane: ncu's counters of loads and stores leave bulk copies out.
void count_global(const Warp& warp, const Instruction& i, uint64_t address, uint32_t bytes,
                  bool write) {
  constexpr unsigned kLaneBytes = 16;
  const Allocation* const allocation = warp.worker->launch->memory->find(address);
  for (uint32_t at = 0; at < bytes;) {
    LaneTraffic traffic;
    for (int lane = 0; lane < kWarpSize && at < bytes; ++lane, at += kLaneBytes)
      traffic.add(lane, address + at, allocation);
    traffic.count(warp, i, kLaneBytes, write);
  }
}

/// Visits each lane's bulk copy: visit(lane, target, source, bytes). Both sides and the size are
/// multiples of 16 bytes (PTX ISA, cp.async.bulk).
template <class Visit>
void visit_bulk(Warp& warp, const Instruction& i, Visit visit) {
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  for_each_lane(warp.mask, [&](int lane) {
    const uint64_t to =
        lane_address(warp, i.b, (i.mode & kNarrowTo) != 0, lane) + detail.registers[0];
    const uint64_t from = lane_address(warp, i.a, (i.mode & kNarrowFrom) != 0, lane) +
                          static_cast<uint64_t>(i.immediate);
    const uint32_t bytes = warp.reg<uint32_t>(i.c)[lane];
    uint64_t addresses[kWarpSize];
    std::fill_n(addresses, kWarpSize, to | from | bytes);
    if (((to | from | bytes) & 15) != 0)
      return report_misaligned(warp, i, addresses, 16, (to & 15) != 0);
    uint8_t* const target = bulk_side(warp, i, lane, to, (i.mode & kToShared) != 0, bytes, true);
    const uint8_t* const source =
        bulk_side(warp, i, lane, from, (i.mode & kFromShared) != 0, bytes, false);
    if (target == nullptr || source == nullptr) return;
    if ((i.mode & kFromShared) == 0) count_global(warp, i, from, bytes, false);
    if ((i.mode & kToShared) == 0) count_global(warp, i, to, bytes, true);
    visit(lane, target, source, bytes);
  });
}

/// The bytes come at once and are taken off those that the mbarrier expects, where one is named.
void bulk_copy(Warp& warp, const Instruction& i) {
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  visit_bulk(warp, i, [&](int lane, uint8_t* target, const uint8_t* source, uint32_t bytes) {
    std::memmove(target, source, bytes);
    if (i.e == kNoRegister) return;
    complete_bytes(warp, i, lane, warp.reg<uint32_t>(i.e)[lane] + detail.registers[1], bytes);
  });
}

/// Element by element; other blocks may work on the same memory at the same time.
template <class Op, class T>
void bulk_reduce(Warp& warp, const Instruction& i) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  visit_bulk(warp, i, [](int, uint8_t* target, const uint8_t* source, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes; at += sizeof(T)) {
      T value;
      std::memcpy(&value, source + at, sizeof value);
      auto* const place = reinterpret_cast<Bits*>(target + at);
      Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
      while (!__atomic_compare_exchange_n(place, &old,
                                          std::bit_cast<Bits>(Op{}(std::bit_cast<T>(old), value)),
                                          false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
      }
    }
  });
}

template <class Op>
Handler reduce_handler(Type type) {
  switch (type) {
    case Type::u32:
    case Type::b32:
      return bulk_reduce<Op, uint32_t>;
    case Type::u64:
    case Type::b64:
      return bulk_reduce<Op, uint64_t>;
    case Type::s32:
      return bulk_reduce<Op, int32_t>;
    case Type::s64:
      return bulk_reduce<Op, int64_t>;
    default:
      return nullptr;
  }
}
Handler reduce_handler(const ptx::Instruction& from) {
  const Type type = last_type(from);
  if (from.has("add")) {
    if (type == Type::f32) return bulk_reduce<Add, float>;
    if (type == Type::f64) return bulk_reduce<Add, double>;
    return reduce_handler<Add>(type);
  }
  if (from.has("min")) return reduce_handler<Min>(type);
  if (from.has("max")) return reduce_handler<Max>(type);
  if (from.has("and")) return reduce_handler<And>(type);
  if (from.has("or")) return reduce_handler<Or>(type);
  return from.has("xor") ? reduce_handler<Xor>(type) : nullptr;
}

}  // namespace

/// cp{.reduce}.async.bulk.to.from.completion{.op.type} [to], [from], size {, [mbarrier]} {, policy}
void decode_bulk(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  const bool counted = from.text.find("mbarrier::complete_tx::bytes") != std::string_view::npos;
  const size_t addresses = counted ? 4 : 3;
  require((counted || from.has("bulk_group")) && !from.has("tensor") &&
              !from.has("multicast::cluster") && from.operands.size() >= addresses,
          from);
  // The first two spaces named are those of the target and of the source.
  std::vector<bool> in_shared;
  for (const std::string_view modifier : from.modifiers) {
    if (modifier == "global" || modifier.starts_with("shared"))
      in_shared.push_back(modifier != "global");
  }
  require(in_shared.size() == 2, from);
  if (in_shared[0]) into.mode |= kToShared;
  if (in_shared[1]) into.mode |= kFromShared;
  const auto narrow = [&](const ptx::Operand& operand) {
    return operand.reg >= 0 && decoder.register_bytes(operand) == 4;
  };
  if (narrow(from.operands[0])) into.mode |= kNarrowTo;
  if (narrow(from.operands[1])) into.mode |= kNarrowFrom;
  const SecondAddress to = second_address(decoder, from.operands[0]);
  decoder.address(from.operands[1], into);
  into.run = from.has("reduce") ? reduce_handler(from) : bulk_copy;
  require(into.run != nullptr, from);
  into.b = to.reg;
  into.c = decoder.source(from.operands[2], Type::u32);
  std::vector<uint32_t> offsets{to.offset, 0};
  if (counted) {
    require(from.operands[3].reg < 0 || narrow(from.operands[3]), from);
    const SecondAddress barrier = second_address(decoder, from.operands[3]);
    into.e = barrier.reg;
    offsets[1] = barrier.offset;
  }
  decoder.new_detail(into).registers = std::move(offsets);
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
