// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/checkers/happens_before.h"

namespace warpgrade::emulator {

/// What orders the accesses of one block's threads. Its time moves on whenever threads
/// synchronise: an access before that has a smaller time than any after it.
class BlockClock {
 public:
  /// Prepares it for another block; `happens_before` is the launch's.
  void start(HappensBefore& happens_before, uint64_t block, uint32_t threads);

  uint64_t block() const { return block_; }
  uint64_t time() const { return time_; }
  /// Whatever the block did before this time is ordered before what any of its threads does now.
  uint64_t floor() const { return floor_; }

  /// All threads of the block that still run have met.
  void meet_block();
  /// Lanes of a warp have met; `live` are all of its lanes that still run.
  void meet_warp(uint32_t warp, uint32_t lanes, uint32_t live);
  /// The lanes of a warp have exchanged values: whatever they read before, they have read. What one has acquired by an acquiring
  /// operation counts for all: cooperative groups hand it on so, although the programming guide promises no order for a shuffle.
  void exchange(uint32_t warp);
  /// Call it for each access but an atomic operation that leaves memory as it is: a waiting thread does nothing else.
  void note_accesses(uint32_t warp, uint32_t lanes) {
    if (threads_.empty()) return;
    for (; lanes != 0; lanes &= lanes - 1)
      threads_[warp * 32 + static_cast<uint32_t>(std::countr_zero(lanes))].accessed = time_;
  }
  /// What the lanes did before may be handed on by what they write from now on.
  void fence(uint32_t warp, uint32_t lanes, bool in_block);
  /// A strong write. `releases`: of itself, not by an earlier fence.
  void release(uint64_t address, bool shared, uint32_t warp, uint32_t lanes, bool releases,
               bool in_block);
  /// A strong read. `by_fence`: what it acquires counts from the lanes' next fence or barrier on.
  void acquire(uint64_t address, bool shared, uint32_t warp, uint32_t lanes, bool by_fence = false);

  /// Whether an access is ordered before what `thread` does now.
  bool is_ordered(const EarlierAccess& access, uint32_t thread);
  /// Whether it is, or would be if the thread executed a fence first.
  bool would_be_ordered(const EarlierAccess& access, uint32_t thread);
  /// Whether `thread` could know of others by more than the barriers of its block and warp.
  bool knows_others(uint32_t thread) const;
  /// What it knows of others by what it and those that it has met have acquired.
  Knowledge knowledge(uint32_t thread) const;
  /// Whether lanes of the thread's warp have met without the others.
  bool has_parted(uint32_t thread) const { return warps_[thread / 32].lanes != nullptr; }
  /// Time of the last exchange of values in the thread's warp.
  uint64_t exchanged(uint32_t thread) const { return warps_[thread / 32].exchanged; }
  /// Time of the last meeting of the thread's whole warp.
  uint64_t warp_floor(uint32_t thread) const { return warps_[thread / 32].floor; }

 private:
  using LaneTimes = std::array<std::array<uint64_t, 32>, 32>;
  struct WarpClock {
    uint64_t floor = 0, exchanged = 0;
    std::unique_ptr<LaneTimes> lanes;  ///< [of][what it knows of]; null: no part has met alone
    const Known* known = nullptr;
    Reach fenced, fenced_in_block;  ///< by some lane before the warp last met
  };
  struct ThreadClock {
    const Known* known = nullptr;
    const Known* seen = nullptr;    ///< acquired, but for a fence
    const Known* passed = nullptr;  ///< what it knew after its last acquiring operation
    Reach fenced, fenced_in_block;
    uint64_t accessed = 0;  ///< time of its last access, or a later one
  };

  /// What the thread has acquired and seen.
  void take_seen(ThreadClock& clock);
  /// Takes what threads of this block have released of it. A later fence of a wider scope acquires the rest.
  void take_seen_in_block(ThreadClock& clock);
  /// All that the lanes have done. It does not change while they access no memory and meet nobody.
  Reach reach_now(uint32_t warp, uint32_t lanes);
  ThreadClock& thread_clock(uint32_t thread);
  /// Releases for the lanes, and for those that they have met without the rest of their warp: what these did until then is
  /// ordered, too (PTX ISA, causality order). The caller holds the mutex.
  SyncLocation* release_with_met(uint64_t address, uint64_t place_block, const Release& release);

  HappensBefore* happens_before_ = nullptr;
  uint64_t block_ = 0, time_ = 1, floor_ = 1;
  std::vector<WarpClock> warps_;
  std::vector<ThreadClock> threads_;  ///< empty until one fences or acquires
  uint32_t thread_count_ = 0;
  const Known* known_ = nullptr;
  Acquired acquired_;
  std::vector<SyncLocation*> released_;  ///< in shared memory, since the block last met
  Reach fenced_, fenced_in_block_;       ///< by some thread before the block last met
};

}  // namespace warpgrade::emulator
