// SPDX-License-Identifier: MIT
#include "emulator/checkers/happens_before.h"

#include <algorithm>
#include <unordered_set>

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

bool covers(const Release& release, const EarlierAccess& access) {
  if (release.block != access.block) return false;
  if (access.time < release.reach.block_time) return true;
  if (access.by == EarlierAccess::By::block || access.thread / kWarpThreads != release.warp)
    return false;
  if (access.time < release.reach.warp_time) return true;
  const bool meant = access.by == EarlierAccess::By::warp
                         ? release.lanes == ~uint32_t{0}
                         : (release.lanes >> (access.thread % kWarpThreads) & 1) != 0;
  return meant && access.time < release.reach.lanes_time;
}

}  // namespace

const Known* HappensBefore::remember(SyncLocation* at, size_t releases, const Known* next) {
  if (++kept_ > kMostKept) overflown_ = true;
  known_.push_back({at, releases, next});
  return &known_.back();
}

void HappensBefore::release(uint64_t address, uint64_t block_of_shared, const Release& release) {
  if (overflown_) return;
  used_ = true;
  std::vector<Release>& releases = places_[{address, block_of_shared}].releases;
  if (!releases.empty()) {
    const Release& last = releases.back();
    if (last.block == release.block && last.warp == release.warp && last.lanes == release.lanes &&
        last.reach == release.reach && last.in_block == release.in_block &&
        last.knowledge == release.knowledge)
      return;
  }
  if (++kept_ > kMostKept) overflown_ = true;
  releases.push_back(release);
}

bool HappensBefore::acquire(uint64_t address, uint64_t block_of_shared, const Known*& list) {
  const auto found = places_.find({address, block_of_shared});
  if (found == places_.end() || overflown_) return false;
  SyncLocation* const at = &found->second;
  int searched = 0;
  for (const Known* known = list; known != nullptr && searched < kSearched;
       known = known->next, ++searched) {
    if (known->at == at && known->releases == at->releases.size()) return false;
  }
  const bool same_place = list != nullptr && list->at == at;
  list = remember(at, at->releases.size(), same_place ? list->next : list);
  return true;
}

void HappensBefore::hand_on(const Known* from, const Known* shared, const Known*& into) {
  for (; from != nullptr && from != shared && !overflown_; from = from->next) {
    bool has = false;
    int searched = 0;
    for (const Known* known = into; known != nullptr && searched < kSearched;
         known = known->next, ++searched)
      has |= known->at == from->at && known->releases >= from->releases;
    if (!has) into = remember(from->at, from->releases, into);
  }
}

bool HappensBefore::knows(const Knowledge& knowledge, uint64_t block, const EarlierAccess& access) {
  if (overflown_) return true;
  const Reached& reached = reached_from(knowledge, block);
  if (reached.past_limit) return true;
  const auto found = reached.releases.find(access.block);
  if (found == reached.releases.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const Release& release) { return covers(release, access); });
}

const HappensBefore::Reached& HappensBefore::reached_from(const Knowledge& knowledge,
                                                          uint64_t block) {
  for (const Reached& reached : reached_) {
    if (reached.block == block && reached.from == knowledge) return reached;
  }
  if (reached_.size() == kRemembered) reached_.pop_front();
  return reached_.emplace_back(search(knowledge, block));
}

HappensBefore::Reached HappensBefore::search(const Knowledge& knowledge, uint64_t block) const {
  Reached reached{knowledge, block, false, {}};
  std::unordered_map<const SyncLocation*, size_t> seen;
  std::unordered_set<const Known*> visited;
  std::vector<const Known*> open;
  const auto add = [&](const Knowledge& more) {
    for (const Known* list : {more.block, more.warp, more.own})
      if (list != nullptr) open.push_back(list);
  };
  add(knowledge);
  size_t steps = 0;
  while (!open.empty() && !reached.past_limit) {
    const Known* const known = open.back();
    open.pop_back();
    if (!visited.insert(known).second) continue;
    if (known->next != nullptr) open.push_back(known->next);
    size_t& done = seen[known->at];
    for (size_t index = known->releases; index > done && steps <= kMostSteps; --index) {
      ++steps;
      const Release& release = known->at->releases[index - 1];
      if (release.in_block && release.block != block) continue;
      reached.releases[release.block].push_back(release);
      add(release.knowledge);
    }
    done = std::max(done, known->releases);
    reached.past_limit = ++steps > kMostSteps;
  }
  return reached;
}

}  // namespace warpgrade::emulator
