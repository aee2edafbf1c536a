// SPDX-License-Identifier: MIT
#include "emulator/exec/block_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "emulator/checkers/sync.h"
#include "emulator/counters/footprint.h"
#include "emulator/exec/cluster.h"
#include "emulator/exec/order.h"
#include "emulator/exec/patience.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// Instructions a block may run before another resident block of its worker gets a turn.
constexpr uint64_t kBlockSlice = 200'000;
/// Blocks that one worker keeps going side by side when none of them ends, however few the device holds at once.
constexpr uint64_t kFewestResidentBlocks = 1024;
/// A cooperative launch's blocks wait for each other by design: all of them are resident, and turns
/// are short.
constexpr uint64_t kCooperativeSlice = 1000;
/// Under an order of its own a launch's blocks take turns in short slices of many lengths.
constexpr uint64_t kShortestOrderedSlice = 500;
constexpr uint64_t kOrderedSliceSpread = 4000;
/// A fault ends a kernel on a device. Here its blocks go on, so that each of their faults is told; but one that got no
/// value for what it waits for would go on for ever.
constexpr uint64_t kMostAfterFault = 1'000'000;
/// There may be millions of blocks that end soon.
constexpr uint64_t kMostOfShortBlocksAfterFault = 5'000'000;

/// Notes what the block ran; whether that is enough of a launch that a device would have ended. Many blocks that go on
/// for long tell the same, so all of a worker's blocks together get what one gets.
bool is_enough_after_fault(Share& share, Block& block, uint64_t executed) {
  block.after_fault += executed;
  share.after_fault += executed;
  return share.after_fault >
         (block.after_fault >= kBlockSlice ? kMostAfterFault : kMostOfShortBlocksAfterFault);
}

/// What the launch has used up; ok while it may go on.
LaunchStatus used_up(const LaunchContext& launch) {
  const LaunchOptions& options = *launch.options;
  if (options.instruction_limit != 0 && launch.instructions >= options.instruction_limit)
    return LaunchStatus::instruction_limit;
  const bool late = options.deadline && std::chrono::steady_clock::now() >= *options.deadline;
  return late ? LaunchStatus::time_limit : LaunchStatus::ok;
}

/// Threads of a block; null where it has none any more.
struct Whereabouts {
  Warp* warp = nullptr;
  const Group* group = nullptr;
};

/// A place where the block runs, or else one where it waits.
Whereabouts whereabouts(Block& block) {
  Whereabouts found;
  for (Warp& warp : block.warps) {
    for (const Group& group : warp.groups) {
      const bool runs = group.state == Group::State::ready;
      if (found.group != nullptr && (!runs || found.group->state == Group::State::ready)) continue;
      found = {&warp, &group};
    }
  }
  return found;
}

void report_limit(Block& block, LaunchStatus limit) {
  const LaunchContext& launch = *block.worker->launch;
  const auto [culprit, place] = whereabouts(block);
  if (place == nullptr) return;
  const LaunchOptions& options = *launch.options;
  const Sentence spent =
      limit == LaunchStatus::time_limit
          ? say("limit.time", {{"seconds", fmt::format("{}", options.time_limit_s)}})
          : say("limit.instructions", {{"instructions", options.instruction_limit}});
  report_fault(*culprit, launch.module->program.code[place->pc], limit, 105, 0, place->mask, spent);
}

uint64_t slice_of(const LaunchContext& launch, uint64_t turn) {
  if (launch.options->order != kNaturalOrder) {
    return kShortestOrderedSlice + mixed(launch.options->order, turn, 3) % kOrderedSliceSpread;
  }
  const uint64_t slice = launch.request->grid_workspace != 0 ? kCooperativeSlice : kBlockSlice;
  const uint64_t limit = launch.options->instruction_limit, spent = launch.instructions;
  return limit > spent ? std::min(slice, limit - spent) : slice;
}

/// From now on, accesses are recorded where the block is one of the sample. What blocks do that still wait where they
/// paused is not: how often they look depends on what else the program does.
void choose_footprint(Worker& worker, const Share& share, const Block& block) {
  uint32_t sample = 0;
  const bool recorded = worker.sample != nullptr && share.went_on &&
                        Footprint::is_sampled(block.linear_index, worker.launch->blocks,
                                              worker.launch->options->sample_key, sample);
  worker.footprint = recorded ? worker.sample.get() : nullptr;
  if (recorded) worker.sample->begin_block(sample);
}

/// A block holds its place on a multiprocessor until its longest warp ends.
void note_lengths(Worker& worker, const Block& block) {
  uint64_t longest = 0, all = 0;
  for (const Warp& warp : block.warps) {
    longest = std::max(longest, warp.executed);
    all += warp.executed;
  }
  worker.spread.note(block.linear_index, longest, all);
}

/// Makes the blocks of a cluster resident; mostly that is one block.
void start_cluster(Worker& worker, Share& share, uint64_t index) {
  const LaunchRequest& request = *worker.launch->request;
  const uint32_t together = blocks_in(request.cluster);
  auto cluster = together > 1 ? std::make_shared<Cluster>() : nullptr;
  if (cluster != nullptr) cluster->index = index;
  for (uint32_t rank = 0; rank < together; ++rank) {
    if (share.spare.empty()) share.spare.emplace_back();
    share.resident.splice(share.resident.end(), share.spare, share.spare.begin());
    Block& block = share.resident.back();
    start_block(block, worker, block_of_cluster(request.grid, request.cluster, index, rank));
    block.cluster = cluster;
    if (cluster != nullptr) cluster->blocks.push_back(&block);
  }
}

void answer(Lookout& lookout, Block& block) {
  const LaunchContext& launch = *block.worker->launch;
  if (std::optional<Finding> place = place_of(block))
    lookout.answer(
        {*std::move(place), std::min<uint64_t>(launch.next_block, launch.blocks), launch.blocks});
}

/// Blocks that one worker keeps going when none of them ends: as many as the device holds, so that a grid which is
/// resident there can wait for itself.
size_t most_resident_blocks(const LaunchContext& launch) {
  if (launch.request->grid_workspace != 0) return SIZE_MAX;
  const LaunchOptions& options = *launch.options;
  const auto sms = static_cast<uint64_t>(options.device == nullptr ? 0 : options.device->sm_count);
  return std::max(kFewestResidentBlocks,
                  sms * static_cast<uint64_t>(std::max(options.resident_blocks, 1)));
}

}  // namespace

void take_turns(Worker& worker, Share& share, Lookout& lookout, bool may_pause) {
  LaunchContext& launch = *worker.launch;
  std::list<Block>& resident = share.resident;
  const size_t most = most_resident_blocks(launch);
  const uint32_t together = blocks_in(launch.request->cluster);
  const Permutation order(launch.options->order, 0, launch.blocks / together);
  const auto admit = [&] {
    const uint64_t next = launch.next_block.fetch_add(together);
    if (next >= launch.blocks) return false;
    start_cluster(worker, share, order(next / together));
    return true;
  };
  const bool has_paused = std::exchange(share.has_begun, true);
  Patience patience(worker, launch.workers == 1, may_pause, has_paused);
  share.went_on = !has_paused;
  if (!has_paused) share.more = admit();
  for (; !resident.empty() && !launch.stop; ++share.turn) {
    Block& block = resident.front();
    if (const LaunchStatus limit = used_up(launch); limit != LaunchStatus::ok) {
      if (!launch.stop.exchange(true)) report_limit(block, limit);
      return;
    }
    if (lookout.is_asked()) answer(lookout, block);
    if (lookout.is_dismissed()) {
      launch.stop = true;
      return;
    }
    uint64_t executed = 0;
    share.waiting -= block.waits ? 1 : 0;
    worker.others_wait = share.waiting != 0;
    choose_footprint(worker, share, block);
    const BlockState state = run_block(block, slice_of(launch, share.turn), executed);
    if (launch.options->instruction_limit != 0) launch.instructions += executed;
    share.waiting += block.waits && state != BlockState::finished ? 1 : 0;
    if (state == BlockState::stopped) return;
    if (worker.status != LaunchStatus::ok && is_enough_after_fault(share, block, executed)) {
      launch.stop = true;
      return;
    }
    share.went_on |= state != BlockState::waiting;
    patience.note(state, resident.size(), share.more && resident.size() < most);
    if (state == BlockState::runnable || state == BlockState::waiting) {
      resident.splice(resident.end(), resident, resident.begin());
      if (share.more && resident.size() < most) share.more = admit();
      if (patience.is_over()) return;
      continue;
    }
    if (state == BlockState::deadlocked) {
      report_deadlock(block);
      launch.stop = true;
      return;
    }
    note_lengths(worker, block);
    leave_cluster(block);
    share.spare.splice(share.spare.end(), resident, resident.begin());
    if (share.more && resident.empty()) share.more = admit();
  }
}

std::optional<Finding> place_of(Block& block) {
  const auto [warp, group] = whereabouts(block);
  if (group == nullptr) return std::nullopt;
  Fault fault;
  fault.first_block = block.linear_index;
  fault.first_thread = warp->index * kWarpSize + static_cast<uint32_t>(first_lane(group->mask));
  return to_finding(*block.worker->launch, {group->pc, 0, 0}, fault);
}

Finding to_finding(const LaunchContext& launch, const FaultKey& key, const Fault& fault) {
  const Dim3& grid = launch.request->grid;
  Finding finding;
  finding.checker = checker_of(fault.message);
  finding.message = fault.message;
  finding.kernel = launch.entry->name;
  finding.file = launch.module->file_of(key.pc);
  finding.line = launch.module->line_of(key.pc);
  finding.block = {static_cast<uint32_t>(fault.first_block % grid.x),
                   static_cast<uint32_t>(fault.first_block / grid.x % grid.y),
                   static_cast<uint32_t>(fault.first_block / grid.x / grid.y)};
  finding.thread = thread_index(launch.request->block, fault.first_thread);
  finding.count = fault.count;
  finding.race = fault.race;
  finding.other_line = fault.other_line;
  return finding;
}

}  // namespace warpgrade::emulator
