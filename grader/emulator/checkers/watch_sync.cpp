// SPDX-License-Identifier: MIT
// The part of the init and race checkers that hears what threads do to wait for each other and for their copies.
#include <algorithm>
#include <bit>
#include <utility>

#include "emulator/checkers/async_copies.h"
#include "emulator/checkers/watch.h"
#include "emulator/exec/cluster.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

/// Where a barrier's releases are kept: beyond all shared memory.
uint64_t barrier_address(size_t barrier) { return kSharedBase + barrier; }

/// Whether one of the copies is on its way to the word.
bool holds_word(const std::vector<CopyUnderWay>& copies, uint64_t word) {
  return std::any_of(copies.begin(), copies.end(), [word](const CopyUnderWay& copy) {
    return word < copy.offset + copy.bytes && copy.offset < word + 4;
  });
}

}  // namespace

void complete_copies(Warp& warp, uint32_t thread, size_t but, bool open) {
  BlockWatch& block = *warp.block->watch;
  const auto found = block.copies.find(thread);
  if (found == block.copies.end()) return;
  const CellLayout& layout = warp.worker->launch->watch->shared;
  const Cell owner = layout.owner(0, block.clock.time(), thread);
  block.clock.note_accesses(thread / kWarpSize, 1u << thread % kWarpSize);
  CopyGroups& groups = found->second;
  while (!groups.empty() && (open || groups.size() > but + 1)) {
    const std::vector<CopyUnderWay> complete = std::move(groups.front());
    groups.pop_front();
    for (const CopyUnderWay& copy : complete) {
      for (uint64_t word = copy.offset; word < copy.offset + copy.bytes; word += 4) {
        Cell& cell = block.shared[word / 4];
        if (kind_of(cell) != Kind::written || (flags_of(cell) & kSpecial) == 0) continue;
        // A later copy of the thread's to the same place.
        if (std::any_of(
                groups.begin(), groups.end(),
                [word](const std::vector<CopyUnderWay>& later) { return holds_word(later, word); }))
          continue;
        cell = with_kind(owner, Kind::written) | kWrittenBits;
        warp.worker->access_log.note(AccessLog::row_of(&cell), AccessLog::bit_of(&cell),
                                     block.clock.block(), block.clock.time(), warp.index, true,
                                     copy.pc);
      }
    }
  }
}

void watch_commit(Warp& warp, const Instruction&) {
  if (warp.worker->launch->watch == nullptr) return;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const uint32_t thread = warp.index * kWarpSize + static_cast<uint32_t>(first_lane(mask));
    CopyGroups& groups = warp.block->watch->copies[thread];
    if (groups.empty()) groups.emplace_back();
    groups.emplace_back();
  }
}

void watch_wait(Warp& warp, const Instruction& instruction) {
  if (warp.worker->launch->watch == nullptr) return;
  const bool all = instruction.immediate < 0;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    complete_copies(warp, warp.index * kWarpSize + static_cast<uint32_t>(first_lane(mask)),
                    all ? 0 : static_cast<size_t>(instruction.immediate), all);
  }
}

void watch_warp_sync(Warp& warp) {
  if (warp.worker->launch->watch == nullptr) return;
  warp.block->watch->clock.meet_warp(warp.index, warp.met, warp.live);
}

void watch_exchange(Warp& warp) {
  if (warp.mask == warp.live) warp.block->watch->clock.exchange(warp.index);
}

void watch_phase(Warp& warp, int lane, uint64_t address, unsigned phase, bool waited) {
  if (warp.worker->launch->watch == nullptr) return;
  constexpr uint64_t kPhases = uint64_t{1} << 60;
  const uint64_t offset = is_shared_address(address) ? address - kSharedBase : address;
  const uint64_t place = kPhases | offset << 3 | (phase & 7);
  BlockClock& clock = warp.block->watch->clock;
  if (waited)
    clock.acquire(place, true, warp.index, 1u << lane);
  else
    clock.release(place, true, warp.index, 1u << lane, true, true);
}

void watch_arrival(Warp& warp, size_t barrier) {
  if (warp.worker->launch->watch == nullptr) return;
  warp.block->watch->clock.release(barrier_address(barrier), true, warp.index, warp.mask, true,
                                   true);
}

void watch_barrier(Block& block, size_t barrier) {
  if (block.worker->launch->watch == nullptr) return;
  BlockClock& clock = block.watch->clock;
  const auto for_waiting = [&](auto visit) {
    for (const Warp& warp : block.warps) {
      for (const Group& group : warp.groups) {
        if (group.state == Group::State::at_barrier && group.barrier == barrier) visit(warp, group);
      }
    }
  };
  uint32_t waiting = 0;
  for_waiting([&](const Warp&, const Group& group) {
    waiting += static_cast<uint32_t>(std::popcount(group.mask));
  });
  if (waiting >= block.live_threads) return clock.meet_block();
  for_waiting([&](const Warp& warp, const Group& group) {
    clock.acquire(barrier_address(barrier), true, warp.index, group.mask);
  });
}

void watch_cluster(Cluster& cluster) {
  constexpr uint64_t kClusters = uint64_t{1} << 61;
  const auto for_blocks = [&](auto visit) {
    for (Block* const block : cluster.blocks) {
      if (block == nullptr || block->worker->launch->watch == nullptr) continue;
      const auto live = std::find_if(block->warps.begin(), block->warps.end(),
                                     [](const Warp& warp) { return warp.live != 0; });
      if (live == block->warps.end()) continue;
      block->watch->clock.meet_block();
      visit(block->watch->clock, live->index, 1u << first_lane(live->live));
      block->watch->clock.meet_block();
    }
  };
  for_blocks([&](BlockClock& clock, uint32_t warp, uint32_t lane) {
    clock.release(kClusters | cluster.index, false, warp, lane, true, false);
  });
  for_blocks([&](BlockClock& clock, uint32_t warp, uint32_t lane) {
    clock.acquire(kClusters | cluster.index, false, warp, lane);
  });
}

void watch_peers_write(Block& peer, uint64_t offset, unsigned bytes) {
  if (peer.worker->launch->watch == nullptr) return;
  for (uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word) {
    Cell& cell = peer.watch->shared[word];
    if (kind_of(cell) != Kind::split) cell = kWrittenBits;
  }
}

void watch_fence(Warp& warp, const Instruction& instruction) {
  if (warp.worker->launch->watch == nullptr) return;
  warp.block->watch->clock.fence(warp.index, warp.mask, (instruction.ordering & kInBlock) != 0);
}

}  // namespace warpgrade::emulator
