// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9.25, asynchronous copies, and 9.7.13.15, mbarrier. Copies are complete when the
// instruction that starts them ends, which the ISA allows; waiting for them then takes no time.

#include <algorithm>

#include "emulator/exec/access.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/scheduling.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

constexpr unsigned kMaxCopyBytes = 16;

bool in_shared(const ptx::Instruction& from) {
  return from.has("shared") || from.has("shared::cta") || from.has("shared::cluster");
}

/// Lanes' addresses in a register of 4 or 8 bytes.
uint64_t lane_address(const Warp& warp, uint32_t reg, bool narrow, int lane) {
  return narrow ? warp.reg<uint32_t>(reg)[lane] : warp.reg<uint64_t>(reg)[lane];
}

/// A second address of an instruction: its register is returned, its offset kept in the detail.
struct SecondAddress {
  uint32_t reg;
  uint32_t offset;
};
SecondAddress second_address(Decoder& decoder, const ptx::Operand& operand) {
  Instruction scratch;
  decoder.address(operand, scratch);
  return {scratch.a, static_cast<uint32_t>(scratch.immediate)};
}

enum CopyMode : uint8_t {
  kNarrowTarget = 1,
  kNarrowSource = 2,
  kSizeGiven = 4,
  kIgnore = 8,
  kBypass = 16
};

void count_read(Warp& warp, const Instruction& i, uint32_t lanes, const uint64_t* from,
                const uint64_t* to) {
  ExecutionCount& counts = warp.worker->counts[i.pc];
  ++counts.requests;
  if ((i.mode & kBypass) != 0) {
    counts.sectors += count_bypass_sectors(lanes, from, to);
    return;
  }
  AccessMemo& memo = warp.worker->memos[i.memory_slot];
  memorise(memo, lanes, from, i.bytes);
  counts.sectors += count_sectors(memo, from[first_lane(lanes)], i.bytes);
}

/// How many bytes of the source a lane reads; zeros fill up the rest.
unsigned bytes_read(const Warp& warp, const Instruction& i, int lane) {
  if ((i.mode & kSizeGiven) != 0) return std::min<uint32_t>(warp.reg<uint32_t>(i.c)[lane], i.bytes);
  if ((i.mode & kIgnore) != 0) return (warp.predicate(i.c) >> lane & 1) != 0 ? 0 : i.bytes;
  return i.bytes;
}

bool misaligned(Warp& warp, const Instruction& i, const uint64_t* addresses, bool write) {
  uint64_t low = 0;
  for_each_lane(warp.mask, [&](int lane) { low |= addresses[lane] & (i.bytes - 1u); });
  if (low != 0) report_misaligned(warp, i, addresses, i.bytes, write);
  return low != 0;
}

/// a: source with i.immediate; b: target, in shared memory.
void copy(Warp& warp, const Instruction& i) {
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  uint64_t from[kWarpSize] = {}, to[kWarpSize] = {};
  for_each_lane(warp.mask, [&](int lane) {
    from[lane] = lane_address(warp, i.a, (i.mode & kNarrowSource) != 0, lane) +
                 static_cast<uint64_t>(i.immediate);
    to[lane] = static_cast<uint32_t>(lane_address(warp, i.b, (i.mode & kNarrowTarget) != 0, lane)) +
               detail.registers[0];
  });
  if (misaligned(warp, i, from, false) || misaligned(warp, i, to, true)) return;
  uint8_t staging[kWarpSize * kMaxCopyBytes] = {};
  uint32_t reading = 0;
  for_each_lane(warp.mask, [&](int lane) {
    const unsigned bytes = bytes_read(warp, i, lane);
    if (bytes == 0) return;
    reading |= 1u << lane;
    if (const uint8_t* const source = lane_pointer(warp, i, lane, from[lane], bytes, false))
      std::memcpy(staging + static_cast<unsigned>(lane) * i.bytes, source, bytes);
  });
  if (reading != 0) count_read(warp, i, reading, from, to);
  scatter_lanes(warp, i, LaneSpace::shared, to, i.bytes, staging);
}

void decode_copy(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 3);
  const ptx::Operand &target = from.operands[0], &source = from.operands[1];
  require(in_shared(from) && from.operands[2].kind == ptx::Operand::Kind::integer, from);
  into.run = copy;
  into.bytes = static_cast<uint8_t>(from.operands[2].bits);
  require(into.bytes == 4 || into.bytes == 8 || into.bytes == 16, from);
  if (from.has("cg")) into.mode |= kBypass;
  const SecondAddress to = second_address(decoder, target);
  decoder.address(source, into);
  into.b = to.reg;
  if (target.reg >= 0 && decoder.register_bytes(target) == 4) into.mode |= kNarrowTarget;
  if (source.reg >= 0 && decoder.register_bytes(source) == 4) into.mode |= kNarrowSource;
  // A last operand of 8 bytes would be a cache policy, which changes nothing here.
  const bool policy = from.has("L2::cache_hint");
  if (from.operands.size() > (policy ? 4u : 3u)) {
    const ptx::Operand& extra = from.operands[3];
    const bool predicate =
        extra.reg >= 0 &&
        decoder.function().registers[static_cast<size_t>(extra.reg)].type == Type::pred;
    into.mode |= predicate ? kIgnore : kSizeGiven;
    into.c = decoder.source(extra, predicate ? Type::pred : Type::u32);
  }
  into.memory_slot = decoder.program().memory_slots++;
  decoder.new_detail(into).registers = {to.offset};
}

/// The 64 bits of an mbarrier object, whose layout the ISA leaves open: how many arrivals a phase
/// takes and still lacks, the bytes still to come (offset by kNoBytes), and the number of the phase.
struct Mbarrier {
  static constexpr uint64_t kCount = (1u << 20) - 1, kNoBytes = 1u << 20;
  uint64_t expected : 20;
  uint64_t pending : 20;
  uint64_t bytes : 21;
  uint64_t phase : 3;

  void finish_phase() {
    if (pending != 0 || bytes != kNoBytes) return;
    pending = expected;
    ++phase;
  }
};
static_assert(sizeof(Mbarrier) == 8);

enum Action : uint8_t {
  kInit,
  kInvalidate,
  kArrive,
  kArriveDrop,
  kArriveExpect,
  kExpect,
  kComplete,
  kTest,
  kTestParity,
  kCopiesArrive,
  kCopiesArriveCounted,
};

/// What one thread does to the object; true where a test succeeds.
bool act(Mbarrier& barrier, Action action, uint64_t value) {
  const auto arrive = [&](uint64_t count) {
    barrier.pending = (barrier.pending - count) & Mbarrier::kCount;
    barrier.finish_phase();
  };
  switch (action) {
    case kInit:
      barrier = {value & Mbarrier::kCount, value & Mbarrier::kCount, Mbarrier::kNoBytes, 0};
      return true;
    case kArrive:
      return arrive(value), true;
    case kArriveDrop:
      barrier.expected = (barrier.expected - value) & Mbarrier::kCount;
      return arrive(value), true;
    case kArriveExpect:
      barrier.bytes += value;
      return arrive(1), true;
    case kExpect:
      barrier.bytes += value;
      return true;
    case kComplete:
      barrier.bytes -= value;
      return barrier.finish_phase(), true;
    case kTest:
      return barrier.phase != std::bit_cast<Mbarrier>(value).phase;
    case kTestParity:
      return (barrier.phase & 1) != (value & 1);
    case kCopiesArriveCounted:
      return arrive(1), true;
    default:  // without .noinc, the arrival is one that it has added itself
      return true;
  }
}

uint8_t* barrier_pointer(Warp& warp, const Instruction& i, int lane, uint64_t address) {
  uint64_t addresses[kWarpSize];
  std::fill_n(addresses, kWarpSize, address);
  if ((address & 7) == 0) {
    return is_shared_address(address) ? lane_pointer(warp, i, lane, address, 8, true)
                                      : shared_pointer(warp, i, lane, address, 8, true);
  }
  report_misaligned(warp, i, addresses, 8, true);
  return nullptr;
}

/// Lane after lane; b: the count, the bytes or the state; d: the state before, or whether a phase
/// is over.
template <Action What>
void mbarrier(Warp& warp, const Instruction& i) {
  constexpr bool kTests = What == kTest || What == kTestParity;
  uint32_t succeeded = 0;
  for_each_lane(warp.mask, [&](int lane) {
    const uint64_t address =
        lane_address(warp, i.a, i.mode != 0, lane) + static_cast<uint64_t>(i.immediate);
    uint8_t* const place = barrier_pointer(warp, i, lane, address);
    if (place == nullptr) return;
    Mbarrier barrier;
    std::memcpy(&barrier, place, sizeof barrier);
    const auto before = std::bit_cast<uint64_t>(barrier);
    const uint64_t value = i.b == kNoRegister ? 1
                           : What == kTest    ? warp.reg<uint64_t>(i.b)[lane]
                                              : warp.reg<uint32_t>(i.b)[lane];
    const auto phase = static_cast<unsigned>(barrier.phase);
    const bool success = act(barrier, What, value);
    succeeded |= static_cast<uint32_t>(success) << lane;
    if (kTests && success) watch_phase(warp, lane, address, phase - 1, true);
    if (!kTests && What != kInit && What != kInvalidate)
      watch_phase(warp, lane, address, phase, false);
    if (!kTests) std::memcpy(place, &barrier, sizeof barrier);
    if (!kTests && i.d != kNoRegister) warp.reg<uint64_t>(i.d)[lane] = before;
  });
  if (!kTests) return;
  write_predicate(warp, i.d, succeeded);
  // Whoever tests in vain waits for other threads.
  if (succeeded != warp.mask) give_way(warp);
}

void pending_count(Warp& warp, const Instruction& i) {
  const uint64_t* a = warp.reg<uint64_t>(i.a);
  write_lanes<uint32_t>(warp, i.d, [=](int lane) {
    return static_cast<uint32_t>(std::bit_cast<Mbarrier>(a[lane]).pending);
  });
}

void barrier_address(Decoder& decoder, const ptx::Operand& operand, Instruction& into) {
  decoder.address(operand, into);
  into.mode = operand.reg >= 0 && decoder.register_bytes(operand) == 4;
}

Handler mbarrier_handler(const ptx::Instruction& from) {
  if (from.has("init")) return mbarrier<kInit>;
  if (from.has("inval")) return mbarrier<kInvalidate>;
  if (from.has("arrive_drop")) return from.has("expect_tx") ? nullptr : mbarrier<kArriveDrop>;
  if (from.has("arrive"))
    return from.has("expect_tx") ? mbarrier<kArriveExpect> : mbarrier<kArrive>;
  if (from.has("expect_tx")) return mbarrier<kExpect>;
  if (from.has("complete_tx")) return mbarrier<kComplete>;
  if (from.has("test_wait") || from.has("try_wait"))
    return from.has("parity") ? mbarrier<kTestParity> : mbarrier<kTest>;
  return nullptr;
}

void decode_mbarrier(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 1);
  if (from.has("pending_count")) {
    into.run = pending_count;
    return unary_operands(decoder, from, into, Type::b64);
  }
  into.run = mbarrier_handler(from);
  require(into.run != nullptr, from);
  into.flags |= Instruction::kControl;
  const bool has_result = !from.operands[0].is_address;
  const size_t address = has_result ? 1 : 0;
  require_operands(from, address + 1);
  if (has_result) into.d = decoder.destination(from.operands[0]);
  barrier_address(decoder, from.operands[address], into);
  if (from.operands.size() > address + 1) {
    const bool state = into.run == mbarrier<kTest>;
    into.b = decoder.source(from.operands[address + 1], state ? Type::b64 : Type::u32);
  }
}

/// The lane's bytes at an address of global or shared memory.
uint8_t* bulk_side(Warp& warp, const Instruction& i, int lane, uint64_t address, bool shared,
                   uint32_t bytes, bool write) {
  return shared && !is_shared_address(address)
             ? shared_pointer(warp, i, lane, address, bytes, write)
             : lane_pointer(warp, i, lane, address, bytes, write);
}

enum BulkMode : uint8_t { kFromShared = 1, kToShared = 2, kNarrowFrom = 4, kNarrowTo = 8 };

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
    if (target != nullptr && source != nullptr) visit(lane, target, source, bytes);
  });
}

/// The bytes come at once and are taken off those that the mbarrier expects, where one is named.
void bulk_copy(Warp& warp, const Instruction& i) {
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  visit_bulk(warp, i, [&](int lane, uint8_t* target, const uint8_t* source, uint32_t bytes) {
    std::memmove(target, source, bytes);
    if (i.e == kNoRegister) return;
    uint8_t* const place =
        barrier_pointer(warp, i, lane, warp.reg<uint32_t>(i.e)[lane] + detail.registers[1]);
    if (place == nullptr) return;
    Mbarrier barrier;
    std::memcpy(&barrier, place, sizeof barrier);
    watch_phase(warp, lane, warp.reg<uint32_t>(i.e)[lane] + detail.registers[1],
                static_cast<unsigned>(barrier.phase), false);
    act(barrier, kComplete, bytes);
    std::memcpy(place, &barrier, sizeof barrier);
  });
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return canonical(a + b);
    else
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                            static_cast<std::make_unsigned_t<T>>(b));
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return std::min(a, b);
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return std::max(a, b);
  }
};
struct And {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};

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

void nothing(Warp&, const Instruction&) {}

void decode_cp(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require(from.has("async"), from);
  if (from.has("bulk") && from.has("prefetch") && !from.has("tensor")) {
    into.run = nothing;
    return;
  }
  if (from.has("mbarrier")) {
    require_operands(from, 1);
    into.run = from.has("noinc") ? mbarrier<kCopiesArriveCounted> : mbarrier<kCopiesArrive>;
    return barrier_address(decoder, from.operands[0], into);
  }
  if (from.has("bulk") && (from.has("commit_group") || from.has("wait_group"))) {
    into.run = nothing;
  } else if (from.has("commit_group")) {
    into.run = watch_commit;
  } else if (from.has("wait_group") || from.has("wait_all")) {
    if (!from.has("wait_all")) require_operands(from, 1);
    into.run = watch_wait;
    into.immediate = from.has("wait_all") ? -1 : static_cast<int64_t>(from.operands[0].bits);
  } else if (from.has("bulk")) {
    decode_bulk(decoder, from, into);
  } else {
    decode_copy(decoder, from, into);
  }
}

constexpr OpRow kRows[] = {{"cp", decode_cp}, {"mbarrier", decode_mbarrier}};

}  // namespace

const std::span<const OpRow> kAsynchronousOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
