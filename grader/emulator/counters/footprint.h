// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/counters/access_memo.h"

namespace warpgrade::emulator {

/// How much of one allocation the sampled blocks touched, in granules of 64 bytes.
struct AllocationUse {
  uint64_t begin = 0, bytes = 0;
  bool written = false;
  uint64_t by_blocks = 0;               ///< summed over the blocks, each granule once a block
  uint64_t granules = 0;                ///< touched by any of them
  uint64_t lone = 0;                    ///< touched by one of them alone
  uint64_t low = UINT64_MAX, high = 0;  ///< the first and the last of them
  bool on_host = false;                 ///< behind the bus
  // The samples' loads:
  uint64_t misses = 0, miss_lines = 0, miss_requests = 0;  ///< as those of FootprintTotals
  uint64_t block_sectors = 0;                              ///< distinct ones, summed over blocks
  // The samples' stores:
  uint64_t sectors = 0;  ///< request by request
  uint64_t scattered =
      0;  ///< of these, those far from their neighbours in the request, at no stride
};

/// Global accesses of one block, or of the mean block.
struct BlockTraffic {
  double load_sectors = 0, store_sectors = 0, atomic_requests = 0;
};

/// What the global accesses of the sampled blocks cost a multiprocessor and what they ask of the
/// caches behind it. The time model scales it to the launch by the exact counts.
struct FootprintTotals {
  uint64_t blocks = 0;
  uint64_t load_requests = 0, load_sectors = 0, load_wavefronts = 0;
  uint64_t warp_misses = 0;    ///< load sectors that the warp's share of the L1 cache did not hold
  uint64_t warp_sectors = 0;   ///< distinct ones, summed over warps
  uint64_t miss_requests = 0;  ///< with a sector that was a miss
  uint64_t miss_lines = 0;     ///< lines of those sectors, of each request
  uint64_t block_sectors = 0;  ///< distinct ones, summed over blocks
  uint64_t store_requests = 0, store_sectors = 0, store_wavefronts = 0;
  uint64_t stored_bytes = 0;
  uint64_t merged_sectors = 0;   ///< store sectors that a store of the warp shortly before holds
  uint64_t partial_sectors = 0;  ///< the others, written in part, which the block had not read
  uint64_t partial_lines = 0;    ///< lines of these, request by request
  uint64_t atomic_requests = 0;
  uint64_t atomic_lines = 0;        ///< distinct 128-byte lines
  uint64_t atomic_block_lines = 0;  ///< the same of each block, summed
  uint64_t atomic_distinct_sectors = 0;
  uint64_t atomic_block_sectors = 0;  ///< the same of each block, summed
  uint64_t atomic_scattered = 0;      ///< sectors of requests, far from each other without a stride
  uint64_t atomic_asked_sectors = 0;  ///< sectors of requests
  double busiest_warp_atomics = 0;    ///< of a block's requests, those of the warp that has most
  double atomic_operations = 0;       ///< that the L2 cache does one after another
  /// Operations that wait for each other at one place, the one that has most.
  double hottest_word = 0;
  bool hottest_is_shared = false;  ///< by several samples, and so by the other blocks, too
  uint64_t atomic_span_lines = 0;  ///< from the first to the last
  uint64_t shared_atomic_requests = 0,
           shared_atomic_rounds = 0;  ///< lanes at one address take turns
  uint64_t constant_addresses = 0;    ///< of loads from constant memory, request by request
  uint64_t constant_misses = 0;       ///< of these, those that the constant cache does not hold
  /// The part of the granules that several samples read which they read at the same stage of their work, beyond what
  /// chance would bring together: 1 where all go through them in one order.
  double read_in_order = 1;
  std::vector<AllocationUse> uses;
  /// The most that the mean block of the launch does if the sampled ones are like all: their mean and three standard
  /// errors of it.
  BlockTraffic most_of_block;
};

/// What an atomic costs the L2 cache, in operations.
struct AtomicTurns {
  double first = 1;   ///< of a sector's lanes that have addresses of their own
  double repeat = 1;  ///< of each further lane at an address
  /// Until the next one at the same address, where the cache does others meanwhile.
  double wait = 1;
};

/// A set of numbers other than 0.
class NumberSet {
 public:
  /// True where it was not in the set.
  bool insert(uint64_t number);
  bool contains(uint64_t number) const;
  template <class Visit>
  void for_each(Visit visit) const {
    for (const uint64_t number : table_) {
      if (number != 0) visit(number);
    }
  }
  uint64_t size() const { return size_; }

 private:
  void grow();
  std::vector<uint64_t> table_;
  uint64_t size_ = 0;
};

/// Records the accesses of a few blocks of a launch, for the time model. Which blocks follows from
/// the grid and a key, so the totals repeat on any number of cores.
class Footprint {
 public:
  static constexpr uint64_t kSamples = 16;
  /// Behind so many touched sectors of a block, some accesses stand for all: the footprint records one window in two, later
  /// one in four, in eight and so on. The key chooses the windows, so no program knows where its work is not recorded.
  static constexpr uint64_t kMostRecorded = 32 * 1024, kWindowSectors = 1024;

  /// `warp_sectors`: of the L1 cache, a warp's share.
  explicit Footprint(uint32_t warp_sectors, uint64_t key = 0);

  /// Whether block `linear` of `blocks` is one of the sample; `sample` is then its number. A program that does not know
  /// `key` cannot let these blocks alone do less.
  static bool is_sampled(uint64_t linear, uint64_t blocks, uint64_t key, uint32_t& sample);
  void begin_block(uint32_t sample);

  void load(uint32_t warp, const AccessMemo& memo, uint64_t base, unsigned bytes);
  void store(uint32_t warp, const AccessMemo& memo, uint64_t base, unsigned bytes);
  void atomic(uint32_t warp, uint32_t mask, const uint64_t* addresses, const AtomicTurns& turns);
  /// A load from constant memory.
  void constant(const AccessMemo& memo, uint64_t base, unsigned bytes);
  /// The warp waits for others or for what it loads: what it stores behind that merges with nothing from before.
  void settle(uint32_t warp) { pending_of(warp).clear(); }
  /// The block learns what others have written: its L1 cache forgets what it holds.
  void acquire();
  void merge(const Footprint& other);
  FootprintTotals totals() const;

 private:
  /// For how many granules one stands; those that are missing stand for themselves.
  using Weights = std::unordered_map<uint64_t, uint64_t>;
  struct Line {
    uint64_t weight = 0;
    uint32_t sectors = 0;  ///< a bit for each
  };
  /// An address whose atomics wait for each other.
  struct Word {
    double waits = 0;
    uint32_t samples = 0;  ///< a bit for each
  };
  static uint64_t weight_in(const Weights& weights, uint64_t key);
  /// What one sampled block did, recorded or not.
  struct Seen {
    uint64_t sectors = 0;
    BlockTraffic traffic;
  };
  /// Whether the block's next access, to so many sectors, is recorded; weight_ is then for how many it stands.
  bool records(unsigned sectors);
  BlockTraffic most_of_block() const;
  /// A sector on its way out of the L1 cache.
  struct Pending {
    uint64_t sector = 0;
    uint32_t bytes = 0;    ///< a bit for each that is written
    uint64_t partial = 0;  ///< what it adds to the total of those written in part
    uint64_t line = 0;     ///< the same of their lines
  };
  /// When a sample first read a granule.
  struct Reading {
    uint64_t key = 0;  ///< granule and sample
    uint64_t turn = 0;
  };
  std::vector<Pending>& pending_of(uint32_t warp) {
    return pending_[sample_ * kMaxWarps + warp % kMaxWarps];
  }
  void touch(const AccessMemo& memo, uint64_t granule, bool written);
  bool load_sector(uint32_t warp, const AccessMemo& memo, uint64_t sector, AllocationUse& use);
  /// A sector of a store.
  struct Stored {
    uint64_t sector = 0;
    uint32_t bytes = 0;          ///< a bit for each
    bool partial = false;        ///< the request has all bytes of some sectors only
    bool first_of_line = false;  ///< in its request
  };
  void store_sector(uint32_t warp, const AccessMemo& memo, const Stored& stored);
  void wait_for_word(uint64_t address, double clocks);
  double read_in_order() const;
  double busiest_warp_atomics() const;
  AllocationUse& use_of(const Allocation& allocation, bool written);
  void find_lone(FootprintTotals& totals) const;

  static constexpr uint32_t kMaxWarps = 32;
  static constexpr unsigned kGranuleShift = 6;
  uint32_t warp_sectors_;
  uint64_t key_;
  uint32_t sample_ = 0;
  uint64_t weight_ = 1;
  FootprintTotals totals_;
  std::array<Seen, kSamples> seen_;            ///< by sample
  std::vector<std::vector<uint64_t>> caches_;  ///< by sample and warp: direct-mapped tags
  bool caches_hold_ = false;                   ///< what was loaded since acquire()
  std::vector<std::vector<Pending>> pending_;  ///< by sample and warp
  std::vector<uint64_t> atomics_;              ///< requests, by sample and warp
  std::array<std::vector<uint64_t>, kSamples> constants_;  ///< held lines, the last used first
  std::array<size_t, kSamples> constant_lines_{};          ///< that the block has asked for
  std::array<uint64_t, kSamples> read_granules_{};         ///< by sample
  std::vector<Reading> readings_;
  NumberSet warp_set_, block_set_, granule_set_, launch_set_, line_set_;
  NumberSet atomic_set_, constant_set_;
  Weights granule_weights_, launch_weights_;  ///< of what is in the sets of these names
  std::unordered_map<uint64_t, Line> lines_;
  std::unordered_map<uint64_t, Word> words_;
};

}  // namespace warpgrade::emulator
