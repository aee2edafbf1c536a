// SPDX-License-Identifier: MIT
#include "emulator/checkers/happens_before.h"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

constexpr uint64_t kWarpThreads = 32;
/// Beyond these a launch is not followed any further.
constexpr size_t kMostKept = 1 << 20;
constexpr size_t kMostSteps = 20'000;
/// How far a list is searched for a place that it holds already.
constexpr int kSearched = 8;
/// For how many threads' knowledge it is kept what can be reached from it.
constexpr size_t kRemembered = 16;

/// Without what was acquired at a place.
const Known* without(const SyncLocation& place, const Known* list) {
  return list != nullptr && list->at == &place ? list->next : list;
}

/// Whoever acquires the later release also acquires the earlier one, and all between them: what was
/// released at the same place adds nothing.
bool hands_on_the_same(const Release& earlier, const Release& later, const SyncLocation& place) {
  return earlier.reach == later.reach && earlier.knowledge.warp == later.knowledge.warp &&
         earlier.knowledge.block == later.knowledge.block &&
         without(place, earlier.knowledge.own) == without(place, later.knowledge.own);
}

}  // namespace

void HappensBefore::ReachedBlock::add(const Release& release) {
  block_time = std::max(block_time, release.reach.block_time);
  if (release.warp >= warps.size()) warps.resize(size_t{release.warp} + 1);
  ReachedWarp& warp = warps[release.warp];
  warp.warp_time = std::max(warp.warp_time, release.reach.warp_time);
  if (release.lanes == ~uint32_t{0})
    warp.all_lanes_time = std::max(warp.all_lanes_time, release.reach.lanes_time);
  for (size_t lane = 0; lane < kWarpThreads; ++lane) {
    if ((release.lanes >> lane & 1) != 0)
      warp.lane_times[lane] = std::max(warp.lane_times[lane], release.reach.lanes_time);
  }
}

bool HappensBefore::ReachedBlock::covers(const EarlierAccess& access) const {
  if (access.time < block_time) return true;
  const size_t index = access.thread / kWarpThreads;
  if (access.by == EarlierAccess::By::block || index >= warps.size()) return false;
  const ReachedWarp& warp = warps[index];
  if (access.time < warp.warp_time) return true;
  if (access.by == EarlierAccess::By::thread)
    return access.time < warp.lane_times[access.thread % kWarpThreads];
  // Each lane may have released by itself.
  const uint64_t of_each = *std::min_element(warp.lane_times.begin(), warp.lane_times.end());
  return access.time < std::max(warp.all_lanes_time, of_each);
}

const Known* HappensBefore::remember(SyncLocation* at, size_t releases, const Known* next,
                                     uint64_t only_block) {
  const Known wanted{.at = at, .releases = releases, .next = next, .only_block = only_block};
  if (const auto found = alike_.find(&wanted); found != alike_.end()) return *found;
  if (++kept_ > kMostKept) overflown_ = gave_up_ = true;
  known_.push_back(wanted);
  alike_.insert(&known_.back());
  return &known_.back();
}

size_t HappensBefore::KnownHash::operator()(const Known* known) const {
  size_t hash = reinterpret_cast<size_t>(known->at) ^ reinterpret_cast<size_t>(known->next) << 7;
  hash = (hash ^ known->releases << 20 ^ known->only_block) * 0x9E37'79B9'7F4A'7C15u;
  return hash ^ hash >> 29;
}

bool HappensBefore::SameKnown::operator()(const Known* a, const Known* b) const {
  return a->at == b->at && a->releases == b->releases && a->next == b->next &&
         a->only_block == b->only_block;
}

SyncLocation* HappensBefore::release(uint64_t address, uint64_t block_of_shared,
                                     const Release& release) {
  if (overflown_) return nullptr;
  used_ = true;
  SyncLocation& at = places_[{address, block_of_shared}];
  at.of_shared = block_of_shared;
  at.only_in_block &= release.in_block;
  const auto [latest, is_first] = at.latest.try_emplace(
      {release.block, release.warp, release.lanes, release.in_block}, at.releases.size());
  if (!is_first && hands_on_the_same(at.releases[latest->second], release, at)) return &at;
  latest->second = at.releases.size();
  if (++kept_ > kMostKept) overflown_ = gave_up_ = true;
  at.releases.push_back(release);
  return &at;
}

bool HappensBefore::acquire(uint64_t address, uint64_t block_of_shared, const Known*& list,
                            Acquired& last) {
  const auto found = places_.find({address, block_of_shared});
  if (found == places_.end() || overflown_) return false;
  SyncLocation* const at = &found->second;
  const size_t releases = at->forgotten + at->releases.size();
  int searched = 0;
  for (const Known* known = list; known != nullptr && searched < kSearched;
       known = known->next, ++searched) {
    if (known->at == at && known->releases == releases && known->only_block == 0) return false;
  }
  const bool same_place = list != nullptr && list->at == at;
  const Known* const from = same_place ? list->next : list;
  if (last.into == nullptr || last.at != at || last.releases != releases || last.from != from)
    last = {at, releases, from, remember(at, releases, from)};
  list = last.into;
  return true;
}

void HappensBefore::add(const Known& known, uint64_t only_block, const Known*& into) {
  int searched = 0;
  for (const Known* has = into; has != nullptr && searched < kSearched;
       has = has->next, ++searched) {
    const bool as_wide = has->only_block == 0 || has->only_block == only_block;
    if (has->at == known.at && has->releases >= known.releases && as_wide) return;
  }
  const bool same_place = into != nullptr && into->at == known.at &&
                          (only_block == 0 || into->only_block == only_block);
  into = remember(known.at, known.releases, same_place ? into->next : into, only_block);
}

void HappensBefore::hand_on(const Known* from, uint64_t met_block, const Known*& into) {
  for (; from != nullptr && !overflown_; from = from->next) {
    if (met_block != 0 && from->at->of_shared == met_block && from->at->only_in_block) continue;
    add(*from, from->only_block, into);
  }
}

void HappensBefore::hand_on_in_block(const Known* from, uint64_t block, const Known*& into) {
  for (; from != nullptr && !overflown_; from = from->next) add(*from, block + 1, into);
}

void HappensBefore::forget(SyncLocation& place) {
  if (!place.only_in_block) return;
  kept_ -= place.releases.size();
  place.forgotten += place.releases.size();
  place.releases.clear();
  place.latest.clear();
}

bool HappensBefore::knows(const Knowledge& knowledge, uint64_t block, const EarlierAccess& access) {
  const Reached& reached = reached_from(knowledge, block);
  if (reached.past_limit) return true;
  const auto found = reached.blocks.find(access.block);
  return found != reached.blocks.end() && found->second.covers(access);
}

const HappensBefore::Reached& HappensBefore::reached_from(const Knowledge& knowledge,
                                                          uint64_t block) {
  for (const Reached& reached : reached_) {
    const bool is_for_block = reached.block == block || !reached.is_of_block;
    if (is_for_block && reached.from == knowledge) return reached;
  }
  if (reached_.size() == kRemembered) reached_.pop_front();
  return reached_.emplace_back(search(knowledge, block));
}

HappensBefore::Reached HappensBefore::search(const Knowledge& knowledge, uint64_t block) {
  ++searches_;
  Reached reached{knowledge, block, false, false, {}};
  std::vector<const Known*> open;
  const auto add = [&](const Knowledge& more) {
    for (const Known* list : {more.block, more.warp, more.own}) {
      if (list != nullptr && list->visited_by != searches_) open.push_back(list);
    }
  };
  add(knowledge);
  size_t steps = 0;
  while (!open.empty() && !reached.past_limit) {
    const Known* const known = open.back();
    open.pop_back();
    if (known->visited_by == searches_) continue;
    known->visited_by = searches_;
    if (known->next != nullptr) open.push_back(known->next);
    SyncLocation& at = *known->at;
    const uint64_t only = known->only_block;
    const bool has_been = only == 0 && at.visited_by == searches_;
    const size_t done = std::max(at.forgotten, has_been ? at.visited : 0);
    for (size_t index = known->releases; index > done && steps <= kMostSteps; --index) {
      ++steps;
      const Release& release = at.releases[index - 1 - at.forgotten];
      reached.is_of_block |= release.in_block;
      if (release.in_block && release.block != block) continue;
      if (only != 0 && release.block + 1 != only) continue;
      reached.blocks[release.block].add(release);
      add(release.knowledge);
    }
    if (only == 0) {
      at.visited = std::max(done, known->releases);
      at.visited_by = searches_;
    }
    reached.past_limit = ++steps > kMostSteps;
  }
  if (reached.past_limit) gave_up_ = true;
  return reached;
}

}  // namespace warpgrade::emulator
