// SPDX-License-Identifier: MIT
// PTX ISA 9.7.9.25, asynchronous copies, and 9.7.13.15, mbarrier. Copies are complete when the
// instruction that starts them ends, which the ISA allows; waiting for them then takes no time.

#include "emulator/exec/ops/asynchronous.h"
#include "emulator/exec/ops/lane_traffic.h"
#include "emulator/exec/scheduling.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

constexpr unsigned kMaxCopyBytes = 16;

bool in_shared(const ptx::Instruction& from) {
  return from.has("shared") || from.has("shared::cta") || from.has("shared::cluster");
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

/// A copy of whole 16 bytes that bypasses L1 comes into shared memory as sectors do, and ncu counts nothing there.
void count_written(const Warp& warp, const Instruction& i, const uint64_t* to, uint32_t reading,
                   const uint64_t* from) {
  if ((i.mode & kBypass) != 0 && (i.mode & (kSizeGiven | kIgnore)) == 0) return;
  const SharedCost cost = copy_cost(warp.mask, to, reading, from, i.bytes);
  RareCount& counts = warp.worker->rare[i.pc];
  counts.copy_wavefronts += cost.wavefronts;
  counts.copy_conflicts += cost.conflicts;
}

void sample_read(const Warp& warp, const Instruction& i, uint32_t lanes, const uint64_t* from) {
  if (warp.worker->footprint == nullptr) return;
  LaneTraffic traffic;
  for_each_lane(lanes, [&](int lane) {
    traffic.add(lane, from[lane], warp.worker->launch->memory->find(from[lane]));
  });
  traffic.sample(warp, i.bytes, false);
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
  if (reading != 0) sample_read(warp, i, reading, from);
  count_written(warp, i, to, reading, from);
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
    const bool is_whole = extra.kind == ptx::Operand::Kind::integer && extra.bits == into.bytes;
    if (!is_whole) into.mode |= predicate ? kIgnore : kSizeGiven;
    into.c = decoder.source(extra, predicate ? Type::pred : Type::u32);
  }
  into.memory_slot = decoder.program().memory_slots++;
  decoder.new_detail(into).registers = {to.offset};
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

/// The store is made at once, and its bytes count at the mbarrier, which lies in the same block's shared memory.
void async_store(Warp& warp, const Instruction& i) {
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  detail.inner(warp, i);
  for_each_lane(warp.mask, [&](int lane) {
    complete_bytes(warp, i, lane, warp.reg<uint32_t>(i.e)[lane] + detail.more[0], detail.more[1]);
  });
}

constexpr OpRow kRows[] = {{"cp", decode_cp}, {"mbarrier", decode_mbarrier}};

}  // namespace

void decode_async_store(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  require_operands(from, 3);
  require(from.text.find("mbarrier::complete_tx::bytes") != std::string_view::npos &&
              from.has("shared::cluster") && from.operands[2].is_address,
          from);
  const SecondAddress barrier = second_address(decoder, from.operands[2]);
  into.e = barrier.reg;
  if (into.detail == kNoDetail) decoder.new_detail(into);
  Detail& detail = decoder.program().details[into.detail];
  detail.inner = into.run;
  detail.more = {barrier.offset, into.elements * ptx::size_of(last_type(from))};
  into.run = async_store;
}

const std::span<const OpRow> kAsynchronousOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
