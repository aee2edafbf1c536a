// SPDX-License-Identifier: MIT
#include "emulator/checkers/block_clock.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <utility>

namespace warpgrade::emulator {
namespace {

constexpr uint32_t kLanes = 32;

template <class Visit>
void for_lanes(uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<uint32_t>(std::countr_zero(lanes)));
}

bool is_set(const Reach& reach) { return reach != Reach{}; }

Reach further(const Reach& a, const Reach& b) {
  return {std::max(a.lanes_time, b.lanes_time), std::max(a.warp_time, b.warp_time),
          std::max(a.block_time, b.block_time)};
}

/// What a lane fenced counts for its warp once that has met, and what a warp fenced for the block.
Reach of_warp(const Reach& reach) {
  return {0, std::max(reach.lanes_time, reach.warp_time), reach.block_time};
}
Reach of_block(const Reach& reach) {
  return {0, 0, std::max({reach.lanes_time, reach.warp_time, reach.block_time})};
}

}  // namespace

void BlockClock::start(HappensBefore& happens_before, uint64_t block, uint32_t threads) {
  happens_before_ = &happens_before;
  block_ = block;
  time_ = floor_ = 1;
  thread_count_ = threads;
  warps_.clear();
  warps_.resize((threads + kLanes - 1) / kLanes);
  threads_.clear();
  known_ = nullptr;
  acquired_ = {};
  released_.clear();
  fenced_ = fenced_in_block_ = Reach{};
}

BlockClock::ThreadClock& BlockClock::thread_clock(uint32_t thread) {
  if (threads_.empty()) {
    ThreadClock fresh;
    fresh.accessed = time_;
    threads_.resize(size_t{warps_.size()} * kLanes, fresh);
  }
  return threads_[thread];
}

Knowledge BlockClock::knowledge(uint32_t thread) const {
  return {threads_.empty() ? nullptr : threads_[thread].known, warps_[thread / kLanes].known,
          known_};
}

Reach BlockClock::reach_now(uint32_t warp, uint32_t lanes) {
  uint64_t accessed = 0;
  for_lanes(lanes, [&](uint32_t lane) {
    accessed = std::max(accessed, thread_clock(warp * kLanes + lane).accessed);
  });
  return {accessed + 1, std::max(warps_[warp].floor, floor_), floor_};
}

bool BlockClock::knows_others(uint32_t thread) const {
  return happens_before_->overflown() || !knowledge(thread).empty();
}

void BlockClock::take_seen(ThreadClock& clock) {
  if (clock.seen == nullptr) return;
  const std::lock_guard lock(happens_before_->mutex());
  happens_before_->hand_on(std::exchange(clock.seen, nullptr), 0, clock.known);
}

void BlockClock::take_seen_in_block(ThreadClock& clock) {
  if (clock.seen == nullptr) return;
  const std::lock_guard lock(happens_before_->mutex());
  happens_before_->hand_on_in_block(clock.seen, block_, clock.known);
}

void BlockClock::meet_block() {
  floor_ = ++time_;
  for (uint32_t thread = 0; thread < threads_.size(); ++thread) {
    ThreadClock& clock = threads_[thread];
    take_seen(clock);
    fenced_ = further(fenced_, of_block(clock.fenced));
    fenced_in_block_ = further(fenced_in_block_, of_block(clock.fenced_in_block));
    if (clock.known != nullptr) {
      const std::lock_guard lock(happens_before_->mutex());
      happens_before_->hand_on(clock.known, block_ + 1, known_);
    }
  }
  threads_.clear();
  for (WarpClock& warp : warps_) {
    fenced_ = further(fenced_, of_block(warp.fenced));
    fenced_in_block_ = further(fenced_in_block_, of_block(warp.fenced_in_block));
    if (warp.known != nullptr) {
      const std::lock_guard lock(happens_before_->mutex());
      happens_before_->hand_on(warp.known, block_ + 1, known_);
    }
    warp = WarpClock{};
  }
  if (released_.empty()) return;
  const std::lock_guard lock(happens_before_->mutex());
  for (SyncLocation* place : released_) happens_before_->forget(*place);
  released_.clear();
}

void BlockClock::meet_warp(uint32_t warp, uint32_t lanes, uint32_t live) {
  WarpClock& clock = warps_[warp];
  ++time_;
  const bool whole = (live & ~lanes) == 0;
  if (!threads_.empty()) {
    const Known* met = nullptr;
    ThreadClock fenced;
    fenced.accessed = time_;
    for_lanes(lanes, [&](uint32_t lane) { take_seen(threads_[warp * kLanes + lane]); });
    const std::lock_guard lock(happens_before_->mutex());
    for_lanes(lanes, [&](uint32_t lane) {
      const ThreadClock& one = threads_[warp * kLanes + lane];
      if (one.known != nullptr) happens_before_->hand_on(one.known, 0, met);
      fenced.fenced = further(fenced.fenced, of_warp(one.fenced));
      fenced.fenced_in_block = further(fenced.fenced_in_block, of_warp(one.fenced_in_block));
    });
    fenced.known = whole ? nullptr : met;
    if (whole) {
      if (met != nullptr) happens_before_->hand_on(met, 0, clock.known);
      clock.fenced = further(clock.fenced, fenced.fenced);
      clock.fenced_in_block = further(clock.fenced_in_block, fenced.fenced_in_block);
      fenced.fenced = fenced.fenced_in_block = Reach{};
    }
    for_lanes(lanes, [&](uint32_t lane) { threads_[warp * kLanes + lane] = fenced; });
  }
  if (whole) {
    clock.floor = time_;
    clock.lanes.reset();
    return;
  }
  if (clock.lanes == nullptr) clock.lanes = std::make_unique<LaneTimes>();
  std::array<uint64_t, kLanes> joined{};
  for_lanes(lanes, [&](uint32_t lane) {
    for (uint32_t other = 0; other < kLanes; ++other)
      joined[other] = std::max(joined[other], (*clock.lanes)[lane][other]);
  });
  for_lanes(lanes, [&](uint32_t lane) { joined[lane] = time_; });
  for_lanes(lanes, [&](uint32_t lane) { (*clock.lanes)[lane] = joined; });
}

void BlockClock::exchange(uint32_t warp) {
  warps_[warp].exchanged = ++time_;
  if (threads_.empty()) return;
  const std::span lanes(&threads_[warp * kLanes], kLanes);
  const Known* passed = nullptr;
  const std::lock_guard lock(happens_before_->mutex());
  for (ThreadClock& lane : lanes) {
    if (lane.passed != nullptr)
      happens_before_->hand_on(std::exchange(lane.passed, nullptr), 0, passed);
  }
  if (passed == nullptr) return;
  for (ThreadClock& lane : lanes) happens_before_->hand_on(passed, 0, lane.known);
}

void BlockClock::fence(uint32_t warp, uint32_t lanes, bool in_block) {
  for_lanes(lanes, [&](uint32_t lane) {
    const Reach now = reach_now(warp, 1u << lane);
    ThreadClock& clock = thread_clock(warp * kLanes + lane);
    if (in_block)
      take_seen_in_block(clock);
    else
      take_seen(clock);
    clock.fenced_in_block = now;
    if (!in_block) clock.fenced = now;
  });
  ++time_;
}

void BlockClock::release(uint64_t address, bool shared, uint32_t warp, uint32_t lanes,
                         bool releases, bool in_block) {
  // Nobody else is there to acquire it.
  if (shared && thread_count_ == 1) return;
  const WarpClock& clock = warps_[warp];
  const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
  const uint32_t thread = warp * kLanes + lane;
  const bool by_thread = !threads_.empty();
  if (!releases && !by_thread && !is_set(fenced_in_block_) && !is_set(clock.fenced_in_block))
    return;
  Reach wide = further(fenced_, clock.fenced),
        narrow = further(fenced_in_block_, clock.fenced_in_block);
  if (by_thread) {
    wide = further(wide, threads_[thread].fenced);
    narrow = further(narrow, threads_[thread].fenced_in_block);
  }
  if (releases) {
    (in_block ? narrow : wide) = reach_now(warp, lanes);
    ++time_;
  }
  const Release release{block_, warp, lanes, wide, false, knowledge(thread)};
  const std::lock_guard lock(happens_before_->mutex());
  const uint64_t place_block = shared ? block_ + 1 : 0;
  if (is_set(wide)) release_with_met(address, place_block, release);
  if (!is_set(narrow) || further(wide, narrow) == wide) return;
  SyncLocation* const place = release_with_met(
      address, place_block, {block_, warp, lanes, narrow, true, release.knowledge});
  if (shared && place != nullptr && std::ranges::find(released_, place) == released_.end())
    released_.push_back(place);
}

SyncLocation* BlockClock::release_with_met(uint64_t address, uint64_t place_block,
                                           const Release& release) {
  SyncLocation* const place = happens_before_->release(address, place_block, release);
  const WarpClock& clock = warps_[release.warp];
  if (clock.lanes == nullptr) return place;
  std::map<uint64_t, uint32_t> others;  // by the time until which theirs is known
  for_lanes(~release.lanes, [&](uint32_t other) {
    uint64_t met = 0;
    for_lanes(release.lanes,
              [&](uint32_t lane) { met = std::max(met, (*clock.lanes)[lane][other]); });
    if (met != 0) others[met] |= 1u << other;
  });
  Release of_met = release;
  for (const auto& [time, lanes] : others) {
    of_met.lanes = lanes;
    of_met.reach.lanes_time = time;
    happens_before_->release(address, place_block, of_met);
  }
  return place;
}

void BlockClock::acquire(uint64_t address, bool shared, uint32_t warp, uint32_t lanes,
                         bool by_fence) {
  if (!happens_before_->used()) return;
  const std::lock_guard lock(happens_before_->mutex());
  for_lanes(lanes, [&](uint32_t lane) {
    const uint32_t thread = warp * kLanes + lane;
    const auto list_of = by_fence ? &ThreadClock::seen : &ThreadClock::known;
    const Known* list = threads_.empty() ? nullptr : threads_[thread].*list_of;
    if (!happens_before_->acquire(address, shared ? block_ + 1 : 0, list, acquired_)) return;
    ThreadClock& clock = thread_clock(thread);
    clock.*list_of = list;
    if (!by_fence) clock.passed = list;
  });
}

bool BlockClock::is_ordered(const EarlierAccess& access, uint32_t thread) {
  const uint32_t warp = thread / kLanes;
  if (access.block == block_) {
    if (access.time < floor_) return true;
    if (access.by == EarlierAccess::By::thread && access.thread == thread) return true;
    if (access.by != EarlierAccess::By::block && access.thread / kLanes == warp) {
      const WarpClock& clock = warps_[warp];
      if (access.time < clock.floor) return true;
      if (clock.lanes != nullptr && access.by == EarlierAccess::By::thread &&
          access.time < (*clock.lanes)[thread % kLanes][access.thread % kLanes])
        return true;
      // Some lanes read: all that this one has met since may be those.
      if (clock.lanes != nullptr && access.by == EarlierAccess::By::warp) {
        const auto& met = (*clock.lanes)[thread % kLanes];
        if (std::any_of(met.begin(), met.end(), [&](uint64_t time) { return access.time < time; }))
          return true;
      }
    }
  }
  if (happens_before_->overflown()) return true;
  const Knowledge known = knowledge(thread);
  if (known.empty()) return false;
  const std::lock_guard lock(happens_before_->mutex());
  return happens_before_->knows(known, block_, access);
}

bool BlockClock::would_be_ordered(const EarlierAccess& access, uint32_t thread) {
  if (is_ordered(access, thread)) return true;
  const Known* const seen = threads_.empty() ? nullptr : threads_[thread].seen;
  if (seen == nullptr) return false;
  const std::lock_guard lock(happens_before_->mutex());
  return happens_before_->knows({seen, nullptr, nullptr}, block_, access);
}

}  // namespace warpgrade::emulator
