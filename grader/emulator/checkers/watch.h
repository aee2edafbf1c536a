// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulator/checkers/access_log.h"
#include "emulator/checkers/block_clock.h"
#include "emulator/checkers/cell.h"
#include "emulator/checkers/happens_before.h"
#include "emulator/checkers/kept_reads.h"
#include "emulator/checkers/loads_over.h"
#include "emulator/exec/program.h"
#include "emulator/memory/origins.h"

// The init and race checkers: every access of a kernel to global, shared and local memory passes
// here once, before memory changes. Theory of operation: cell.h says what is remembered of each
// four bytes, race_rules.h how an access changes that and when it conflicts, block_clock.h and
// happens_before.h what is ordered, loads_over.h which loads of other blocks are over. Where a cell
// is too small for the whole truth, the rules give up and stay silent.

namespace warpgrade::emulator {

struct Allocation;
struct Block;
struct Cluster;
struct LaunchRequest;
struct LaunchOptions;

/// Cells of words whose bytes have different owners, byte by byte.
using SplitWords = std::unordered_map<const Cell*, std::array<Cell, 4>>;

/// What the two checkers keep for a launch.
struct LaunchWatch {
  bool init = false, race = false, fences = false;
  bool locks = false;                   ///< several workers share the cells of global memory
  OriginId writer = Origins::kNothing;  ///< what stores leave in Shadow::origins
  CellLayout global, shared;
  HappensBefore happens_before;
  LoadsOver loads_over;
  SplitWords split;
  std::mutex split_mutex;
  std::array<std::atomic_flag, 1024> page_locks{};
};

/// Whether the race checker passed one of its limits, behind which it may miss a race.
inline bool gave_up(const LaunchWatch& watch) {
  return watch.race && watch.happens_before.gave_up();
}

/// Locks the page of cells that one word's belongs to, where several workers share it.
class PageLock {
 public:
  PageLock(LaunchWatch& watch, const Cell* cell, bool needed)
      : flag_(needed ? &watch.page_locks[(reinterpret_cast<uintptr_t>(cell) >> 12) %
                                         watch.page_locks.size()]
                     : nullptr) {
    while (flag_ != nullptr && flag_->test_and_set(std::memory_order_acquire)) {
    }
  }
  ~PageLock() {
    if (flag_ != nullptr) flag_->clear(std::memory_order_release);
  }
  PageLock(const PageLock&) = delete;
  PageLock& operator=(const PageLock&) = delete;

 private:
  std::atomic_flag* flag_;
};

/// A copy by cp.async that its thread has not waited for.
struct CopyUnderWay {
  uint64_t offset;  ///< in shared memory
  uint32_t bytes, pc;
};
/// Those of one thread: groups it has committed, oldest first, and at last the open one.
using CopyGroups = std::deque<std::vector<CopyUnderWay>>;

/// What they keep for a block.
struct BlockWatch {
  BlockClock clock;
  std::unordered_map<uint32_t, CopyGroups> copies;  ///< by thread
  std::vector<Cell> shared;                         ///< cells of its shared memory
  SplitWords split;
  KeptReads reads;
};

/// Whether the block's number and time still fit the cells.
inline bool is_followed(const BlockClock& clock, const CellLayout& layout) {
  return clock.time() <= layout.last_time() &&
         (layout.generation == 0 || clock.block() <= layout.last_block());
}

/// Null where neither checker is on.
std::unique_ptr<LaunchWatch> make_watch(const LaunchRequest& request, const LaunchOptions& options,
                                        uint64_t generation, size_t workers);
void start_watch(Block& block);

/// A part of memory that an access lies in.
struct WatchedPlace {
  const Allocation* allocation = nullptr;  ///< null: shared memory
  uint64_t address = 0;                    ///< or offset in the block's shared memory
  uint8_t* host = nullptr;                 ///< where its first byte lies
};

/// One lane's access to `bytes` bytes, `elements` in a row. `stored`: what a plain store puts there,
/// or null; it is put there at once, so that the warp's next lane finds it.
void watch_lane(Warp& warp, const Instruction& instruction, int lane, const WatchedPlace& place,
                unsigned bytes, unsigned elements, bool write, const uint8_t* stored);
/// What a lane has just stored was never written where it comes from.
void forget_written(Warp& warp, uint64_t address, unsigned bytes, bool in_shared);
/// Watches one lane's access to its own local memory, which no other thread reaches: at most 4 bytes, inside a word.
void watch_local(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                 unsigned bytes, bool write);
/// The lanes' local memory from word `first` on is that of a new frame.
void forget_local(Warp& warp, uint32_t lanes, size_t first, size_t words);

/// The lanes in warp.mask execute a fence.
void watch_fence(Warp& warp, const Instruction& instruction);
/// The lanes in warp.met have met at bar.warp.sync.
void watch_warp_sync(Warp& warp);
/// The lanes in warp.mask exchange values, as shfl does: what they have read, they have read.
void watch_exchange(Warp& warp);
/// A lane arrives at, or has waited for, a phase of the mbarrier at a shared or generic address.
void watch_phase(Warp& warp, int lane, uint64_t address, unsigned phase, bool waited);
/// The lanes in warp.mask commit their copies to a group.
void watch_commit(Warp& warp, const Instruction& instruction);
/// They wait until all but the last instruction.immediate groups are complete; for all copies where
/// that is negative.
void watch_wait(Warp& warp, const Instruction& instruction);
/// The lanes in warp.mask arrive at a barrier that names its number of threads.
void watch_arrival(Warp& warp, size_t barrier);
/// A barrier of the block opens; those that wait for it still do.
void watch_barrier(Block& block, size_t barrier);
/// All threads of the cluster have met.
void watch_cluster(Cluster& cluster);
/// Another block of its cluster writes to a block's shared memory.
void watch_peers_write(Block& peer, uint64_t offset, unsigned bytes);

/// Fills Instruction::ordering.
uint16_t ordering_of(const ptx::Instruction& from);

}  // namespace warpgrade::emulator
