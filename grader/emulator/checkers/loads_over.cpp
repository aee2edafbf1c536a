// SPDX-License-Identifier: MIT
#include "emulator/checkers/loads_over.h"

#include <algorithm>
#include <utility>

namespace warpgrade::emulator {
namespace {

/// Beyond these, stores that are seen order nothing more.
constexpr size_t kMostKept = 1 << 20;
/// Beyond these, all loads count as over.
constexpr size_t kMostSteps = 20'000;
constexpr size_t kRemembered = 16;
constexpr uint32_t kWarpThreads = 32;

}  // namespace

void LoadsOver::note_store(const Actor& me, uint64_t floor) {
  const std::lock_guard lock(mutex_);
  if (kept_ >= kMostKept) return;
  OfBlock& mine = blocks_[me.block];
  mine.last = {me.time, floor, mine.seen.size()};
}

void LoadsOver::note_load(const Actor& me, uint64_t from_block, uint64_t stored) {
  const std::lock_guard lock(mutex_);
  const auto from = blocks_.find(from_block);
  if (kept_ >= kMostKept || from == blocks_.end() || from->second.last.time < stored) return;
  const Stored store = from->second.last;
  OfBlock& mine = blocks_[me.block];
  const auto [latest, is_first] = mine.latest.try_emplace(from_block, stored);
  if (!is_first && std::exchange(latest->second, stored) == stored) return;
  mine.seen.push_back(
      {from_block, stored, std::min(store.floor, stored), store.knew, me.time, me.thread});
  ++kept_;
}

bool LoadsOver::has_stored(uint64_t block, uint64_t time) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(block);
  return found != blocks_.end() && found->second.last.time >= time;
}

bool LoadsOver::has_ended(const EarlierAccess& load, const Actor& me, uint64_t floor) {
  const std::lock_guard lock(mutex_);
  const auto mine = blocks_.find(me.block);
  if (mine == blocks_.end() || mine->second.seen.empty()) return false;
  const Ended& ended = ended_for(me, floor, mine->second);
  if (ended.past_limit) return true;
  const auto found = ended.until.find(load.block);
  return found != ended.until.end() && load.time < found->second;
}

const LoadsOver::Ended& LoadsOver::ended_for(const Actor& me, uint64_t floor, const OfBlock& mine) {
  // What the block has seen before it last met counts for all of its warps.
  const bool for_all = mine.seen.back().at < floor;
  const uint64_t warp = for_all ? 0 : me.thread / kWarpThreads + 1;
  for (const Ended& ended : ended_) {
    if (ended.block == me.block && ended.floor == floor && ended.warp == warp &&
        ended.seen == mine.seen.size())
      return ended;
  }
  if (ended_.size() == kRemembered) ended_.pop_front();
  Ended& ended = ended_.emplace_back(Ended{me.block, floor, warp, mine.seen.size(), false, {}});
  search(me, floor, ended);
  return ended;
}

void LoadsOver::search(const Actor& me, uint64_t floor, Ended& ended) const {
  struct Open {
    const OfBlock* block;
    size_t from, to;  ///< of what it had seen
  };
  std::vector<Open> open;
  std::unordered_map<uint64_t, size_t> taken;  // block: how much of what it had seen
  size_t steps = 0;
  const auto take = [&](const Seen& seen) {
    uint64_t& until = ended.until[seen.block];
    until = std::max(until, seen.ended);
    size_t& known = taken[seen.block];
    if (known >= seen.knew) return;
    open.push_back({&blocks_.at(seen.block), std::exchange(known, seen.knew), seen.knew});
  };
  for (const Seen& seen : blocks_.at(me.block).seen) {
    if (seen.at < floor || seen.thread / kWarpThreads == me.thread / kWarpThreads) take(seen);
  }
  while (!open.empty() && steps <= kMostSteps) {
    const Open next = open.back();
    open.pop_back();
    for (size_t index = next.from; index < next.to; ++index) take(next.block->seen[index]);
    steps += next.to - next.from;
  }
  ended.past_limit = steps > kMostSteps;
}

}  // namespace warpgrade::emulator
