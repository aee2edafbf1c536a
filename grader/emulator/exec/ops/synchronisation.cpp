// SPDX-License-Identifier: MIT
// PTX ISA 9.7.13, barriers of a block, fences and nanosleep.

#include "emulator/checkers/sync.h"
#include "emulator/checkers/watch.h"
#include "emulator/counters/footprint.h"
#include "emulator/exec/block.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/ops/members.h"
#include "emulator/exec/scheduling.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

uint32_t first_lane_value(Warp& warp, uint32_t offset) {
  return warp.reg<uint32_t>(offset)[first_lane(warp.mask)];
}

uint32_t expected_threads(Warp& warp, const Instruction& i) {
  if (i.b == kNoRegister) return 0;
  const uint32_t expected = first_lane_value(warp, i.b);
  check_barrier_count(warp, i, expected);
  return expected;
}

uint32_t named_barrier(Warp& warp, const Instruction& i) {
  return first_lane_value(warp, i.a) % kHardwareBarriers;
}

void barrier_sync(Warp& warp, const Instruction& i) {
  if (warp.worker->footprint != nullptr) warp.worker->footprint->settle(warp.index);
  wait_at_barrier(warp, i, named_barrier(warp, i), expected_threads(warp, i));
}
void barrier_arrive(Warp& warp, const Instruction& i) {
  arrive_at_barrier(warp, named_barrier(warp, i), expected_threads(warp, i));
}

void bar_warp_sync(Warp& warp, const Instruction& i) {
  if (meet_members(warp, i, named_members(warp, i, i.a))) return;
  forget_shared(*warp.block);
  watch_warp_sync(warp);
}

/// Blocks run on several threads of the host, whose processor may let a load pass a store.
void fence(Warp& warp, const Instruction& i) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  const bool reaches_others = (i.ordering & (kReleases | kInBlock)) == kReleases;
  if (warp.worker->footprint != nullptr && reaches_others) warp.worker->footprint->acquire();
  watch_fence(warp, i);
}

/// Who has arrived is to wait before it arrives again, so waiting for all to have arrived is waiting for all to wait.
void cluster_wait(Warp& warp, const Instruction& i) {
  wait_at_barrier(warp, i, kClusterBarrier, 0);
}

/// barrier.cluster.arrive|wait
void decode_cluster_barrier(const ptx::Instruction& from, Instruction& into) {
  require(from.has("arrive") || from.has("wait"), from);
  into.run = from.has("wait") ? cluster_wait : fence;
}

/// bar{.cta}.sync|arrive|red and barrier{.cta}...: barrier number, then how many threads.
void decode_bar(Decoder& decoder, const ptx::Instruction& from, Instruction& into) {
  into.flags |= Instruction::kControl;
  if (from.has("warp")) {
    require_operands(from, 1);
    into.run = bar_warp_sync;
    into.a = decoder.source(from.operands[0], Type::u32);
    return;
  }
  if (from.has("cluster")) return decode_cluster_barrier(from, into);
  if (from.text.substr(0, 4) == "bar." || from.has("aligned")) into.flags |= Instruction::kAligned;
  const bool reduces = from.has("red");
  const size_t first = reduces ? 1 : 0;
  require_operands(from, first + 1);
  into.run = from.has("arrive") ? barrier_arrive : barrier_sync;
  into.a = decoder.source(from.operands[first], Type::u32);
  const size_t last = from.operands.size() - (reduces ? 1 : 0);
  if (first + 1 < last) into.b = decoder.source(from.operands[first + 1], Type::u32);
  if (!reduces) return;
  into.d = decoder.destination(from.operands[0]);
  into.c = decoder.source(from.operands.back(), Type::pred);
  into.immediate = from.operands.back().negated;
  into.mode = from.has("and") ? kReduceAnd : from.has("or") ? kReduceOr : kReduceCount;
}

void decode_fence(Decoder&, const ptx::Instruction&, Instruction& into) { into.run = fence; }

void launch_dependents(Warp& warp, const Instruction&) { warp.worker->launches_dependents = true; }
void wait_for_grids(Warp& warp, const Instruction&) { warp.block->has_waited_for_grids = true; }
void decode_grid_control(Decoder&, const ptx::Instruction& from, Instruction& into) {
  into.run = from.has("wait") ? wait_for_grids : launch_dependents;
}

/// A thread that sleeps waits for another: its group gives way.
void nanosleep(Warp& warp, const Instruction&) { give_way(warp); }
void decode_nanosleep(Decoder&, const ptx::Instruction&, Instruction& into) {
  into.run = nanosleep;
}

constexpr OpRow kRows[] = {
    {"bar", decode_bar},
    {"barrier", decode_bar},
    {"membar", decode_fence},
    {"fence", decode_fence},
    {"nanosleep", decode_nanosleep},
    // Grids run one after another; the race checker between streams knows which need not.
    {"griddepcontrol", decode_grid_control},
};

}  // namespace

const std::span<const OpRow> kSynchronisationOps(kRows);

}  // namespace warpgrade::emulator::WARPGRADE_ISA
