// SPDX-License-Identifier: MIT
#include "emulator/exec/block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/checkers/sync.h"
#include "emulator/exec/cluster.h"
#include "emulator/exec/ops/ops.h"
#include "emulator/exec/order.h"
#include "emulator/exec/scheduling.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

/// NaN, and not the bytes of global memory that nothing has written: whoever copies it there has
/// written.
constexpr uint32_t kPoison = 0xFFFF'FFFE;
/// Instructions a warp may run before the other warps of its block get a turn.
constexpr uint64_t kWarpSlice = 50'000;
/// The longest under an order of its own.
constexpr uint64_t kOrderedWarpSlice = 300;

void poison(uint8_t* to, size_t bytes) {
  for (size_t i = 0; i < bytes; i += sizeof kPoison)
    std::memcpy(to + i, &kPoison, std::min(bytes - i, sizeof kPoison));
}

uint32_t reduced(const Barrier& barrier, uint8_t reduction) {
  switch (reduction) {
    case kReduceAnd:
      return barrier.reduction_and != 0 ? kFullMask : 0;
    case kReduceOr:
      return barrier.reduction_or != 0 ? kFullMask : 0;
    default:
      return barrier.reduction_count;
  }
}

/// Writes the result of bar.red to the lanes of a group that waited for it.
void deliver(const Group& group, const Instruction& instruction, const Barrier& barrier) {
  if (instruction.mode == kReduceNone || instruction.d == kNoRegister) return;
  const uint32_t result = reduced(barrier, instruction.mode);
  auto* const lanes = reinterpret_cast<uint32_t*>(group.frame->registers + instruction.d);
  if (instruction.mode != kReduceCount) {
    *lanes = (*lanes & ~group.mask) | (result & group.mask);
    return;
  }
  for (uint32_t mask = group.mask; mask != 0; mask &= mask - 1) lanes[first_lane(mask)] = result;
}

bool has_ready_group(const Warp& warp) {
  return std::any_of(warp.groups.begin(), warp.groups.end(),
                     [](const Group& group) { return group.state == Group::State::ready; });
}

uint64_t warp_slice(uint64_t order, const Warp& warp) {
  return order == kNaturalOrder ? kWarpSlice
                                : 1 + mixed(order, warp.index, warp.executed) % kOrderedWarpSlice;
}

/// Runs every warp that can run once; adds what they executed to `executed`. `waits`: some ran, and each of them waits for memory.
RunEnd run_warps(Block& block, uint64_t slice, uint64_t& executed, bool& waits) {
  size_t ran = 0, waiting = 0;
  block.waits = false;
  const uint64_t order = block.worker->launch->options->order;
  const Permutation arranged(order, mixed(0, block.linear_index, ++block.rounds),
                             block.warps.size());
  for (size_t turn = 0; turn < block.warps.size(); ++turn) {
    Warp& warp = block.warps[arranged(turn)];
    // Lanes that spin may wait for these, in this warp or in another.
    if (!has_ready_group(warp) || warp.executed >= warp.slice_end) end_waits(warp);
    if (!has_ready_group(warp)) continue;
    const uint64_t before = warp.executed;
    warp.slice_end = before + std::min(warp_slice(order, warp), slice);
    warp.waits = false;
    const RunEnd end = engine().run_warp(warp);
    executed += warp.executed - before;
    if (end == RunEnd::stopped) return end;
    ++ran;
    waiting += warp.waits ? 1 : 0;
  }
  waits = ran != 0 && waiting == ran;
  return RunEnd::blocked;
}

}  // namespace

void forget_shared(Block& block) {
  const LaunchContext& launch = *block.worker->launch;
  // Cooperative groups keep their own barriers there.
  const size_t own = launch.reserved_shared != 0 ? launch.reserved_shared : block.shared.size();
  if (launch.options->forgets_shared) std::memset(block.shared.data(), 0, own);
}

void start_block(Block& block, Worker& worker, uint64_t linear_index) {
  const LaunchContext& launch = *worker.launch;
  const Dim3 &grid = launch.request->grid, &size = launch.request->block;
  const uint32_t threads = size.x * size.y * size.z;
  block.worker = &worker;
  block.linear_index = linear_index;
  block.index = {static_cast<uint32_t>(linear_index % grid.x),
                 static_cast<uint32_t>(linear_index / grid.x % grid.y),
                 static_cast<uint32_t>(linear_index / grid.x / grid.y)};
  block.threads = block.live_threads = threads;
  block.rounds = 0;
  block.waits = block.looks = false;
  block.has_waited_for_grids = false;
  block.after_fault = 0;
  block.barriers.fill(Barrier{});
  block.shared.resize(round_up(launch.shared_bytes, sizeof(uint32_t)));
  for (const SharedVariable& variable : launch.shared) {
    poison(block.shared.data() + variable.offset, variable.bytes);
  }
  forget_shared(block);
  start_watch(block);
  if (launch.reserved_shared != 0) {
    std::memset(block.shared.data() + launch.reserved_shared, 0, kReservedSharedBytes);
    if (launch.watch != nullptr)
      std::fill_n(block.watch->shared.begin() + launch.reserved_shared / 4,
                  kReservedSharedBytes / 4, kWrittenBits);
  }
  block.warps.resize((threads + kWarpSize - 1) / kWarpSize);
  for (uint32_t index = 0; index < block.warps.size(); ++index) {
    Warp& warp = block.warps[index];
    warp.block = &block;
    warp.worker = &worker;
    warp.index = index;
    const uint32_t left = threads - index * kWarpSize;
    start_warp(warp, *launch.entry, left >= kWarpSize ? kFullMask : (1u << left) - 1);
  }
}

void release_barrier(Block& block, size_t number) {
  const auto& code = block.worker->launch->module->program.code;
  forget_shared(block);
  Barrier& barrier = block.barriers[number];
  watch_barrier(block, number);
  for (Warp& warp : block.warps) {
    for (Group& group : warp.groups) {
      if (group.state != Group::State::at_barrier || group.barrier != number) continue;
      deliver(group, code[group.waits_at], barrier);
      group.state = Group::State::ready;
    }
  }
  barrier = Barrier{};
}

bool release_barriers(Block& block) {
  bool released = false;
  if (waits_for_cluster(block)) released = release_cluster(*block.cluster);
  const size_t own = block.cluster != nullptr ? kHardwareBarriers : kBarriers;
  for (size_t number = 0; number < own; ++number) {
    const Barrier& barrier = block.barriers[number];
    const uint32_t expected = barrier.expected != 0 ? barrier.expected : block.live_threads;
    if (barrier.arrived == 0 || barrier.arrived < expected) continue;
    check_opening(block, number);
    release_barrier(block, number);
    released = true;
  }
  return released;
}

BlockState run_block(Block& block, uint64_t slice, uint64_t& executed) {
  const auto give_up_one = [&] {
    return std::any_of(block.warps.begin(), block.warps.end(),
                       [](Warp& warp) { return give_up_waiting(warp); });
  };
  while (true) {
    bool waits = false;
    if (run_warps(block, slice, executed, waits) == RunEnd::stopped) return BlockState::stopped;
    if (block.live_threads == 0) return BlockState::finished;
    const bool released = release_barriers(block);
    const bool can_run =
        released || std::any_of(block.warps.begin(), block.warps.end(), has_ready_group);
    if (!can_run && waits_for_cluster(block) && !is_stuck(*block.cluster))
      return BlockState::waiting;
    if (!can_run && !give_up_one()) return BlockState::deadlocked;
    const bool looked = std::exchange(block.looks, false);
    if (waits && !released) return BlockState::waiting;
    if (looked || executed >= slice) return BlockState::runnable;
  }
}

}  // namespace warpgrade::emulator
