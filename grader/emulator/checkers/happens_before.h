// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace warpgrade::emulator {

struct SyncLocation;

/// Part of what a thread knows of others: the first `releases` releases at a place. Never changed
/// once made, so that many may share it.
struct Known {
  SyncLocation* at = nullptr;
  size_t releases = 0;
  const Known* next = nullptr;
  uint64_t only_block =
      0;  ///< block + 1 where a fence of .cta scope acquired: what others released does not count
  mutable uint64_t visited_by = 0;  ///< the search that was here last
};

/// What one thread knows, by itself, with its warp and with its block.
struct Knowledge {
  const Known* own = nullptr;
  const Known* warp = nullptr;
  const Known* block = nullptr;

  bool empty() const { return own == nullptr && warp == nullptr && block == nullptr; }
  bool operator==(const Knowledge&) const = default;
};

/// Accesses of a block up to a time: of some lanes of a warp, of the whole warp, of all threads.
struct Reach {
  uint64_t lanes_time = 0, warp_time = 0, block_time = 0;
  bool operator==(const Reach&) const = default;
};

/// Lanes of a warp hand on what they and others they know of have done.
struct Release {
  uint64_t block = 0;
  uint32_t warp = 0, lanes = 0;
  Reach reach;
  bool in_block = false;  ///< of .cta scope
  Knowledge knowledge;
};

/// Who released, by the scope.
struct Releaser {
  uint64_t block = 0;
  uint32_t warp = 0, lanes = 0;
  bool in_block = false;
  bool operator==(const Releaser&) const = default;
};
struct ReleaserHash {
  size_t operator()(const Releaser& by) const {
    return ((by.block << 8 ^ by.warp) * 0x9E37'79B9'7F4A'7C15u ^ by.lanes) * 2 + by.in_block;
  }
};

struct SyncLocation {
  std::vector<Release> releases;
  std::unordered_map<Releaser, size_t, ReleaserHash> latest;  ///< of each, an index of `releases`
  size_t forgotten = 0;                                       ///< releases before these
  uint64_t of_shared = 0;     ///< block + 1 where it is in shared memory
  bool only_in_block = true;  ///< all releases are of .cta scope
  uint64_t visited_by = 0;    ///< the search that was here last
  size_t visited = 0;         ///< releases that it has taken
};

/// What a thread has acquired: the next that does the same from the same shares the list.
struct Acquired {
  const SyncLocation* at = nullptr;
  size_t releases = 0;
  const Known *from = nullptr, *into = nullptr;
};

/// Accesses of one block that are to be ordered before others: of one thread, of all lanes of its
/// warp or of all warps.
struct EarlierAccess {
  enum class By : uint8_t { thread, warp, block };
  uint64_t block = 0, time = 0;
  uint32_t thread = 0;
  By by = By::thread;
};

/// Which accesses are ordered by releases and acquires at places in memory and named barriers
/// (PTX ISA, memory consistency model: synchronises-with, causality order). It errs to "ordered":
/// whoever reads a place knows of all releases before, and past a limit everything is ordered.
class HappensBefore {
 public:
  /// A place is an address, and the block where the address is one of shared memory.
  /// Null where nothing is followed any more.
  SyncLocation* release(uint64_t address, uint64_t block_of_shared, const Release& release);
  /// Adds to `list` what was released at the place; true where that is new.
  bool acquire(uint64_t address, uint64_t block_of_shared, const Known*& list, Acquired& last);
  /// Puts what `from` has in front of `into`, but for what is only for the threads of one block
  /// (given as its number + 1) that have met since.
  void hand_on(const Known* from, uint64_t met_block, const Known*& into);
  /// Puts what `from` has of this block's own releases in front of `into`.
  void hand_on_in_block(const Known* from, uint64_t block, const Known*& into);
  /// Drops the releases at a place that is only for the threads of one block, which have met.
  void forget(SyncLocation& place);
  bool knows(const Knowledge& knowledge, uint64_t block, const EarlierAccess& access);

  bool used() const { return used_.load(std::memory_order_relaxed); }
  /// A limit was passed somewhere: accesses may count as ordered that are not.
  bool gave_up() const { return gave_up_.load(std::memory_order_relaxed); }
  /// The limit is passed: nothing more is kept, and everything is ordered.
  bool overflown() const { return overflown_.load(std::memory_order_relaxed); }
  std::mutex& mutex() { return mutex_; }

 private:
  struct Place {
    uint64_t address, block;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    size_t operator()(const Place& place) const {
      return (place.address ^ place.block << 40) * 0x9E37'79B9'7F4A'7C15u >> 8;
    }
  };
  /// Threads that know the same share one list, and with it what was found to be reached from it.
  struct KnownHash {
    size_t operator()(const Known* known) const;
  };
  struct SameKnown {
    bool operator()(const Known* a, const Known* b) const;
  };
  struct ReachedWarp {
    uint64_t warp_time = 0, all_lanes_time = 0;
    std::array<uint64_t, 32> lane_times{};
  };
  /// The accesses of one block that are ordered before, by time.
  struct ReachedBlock {
    uint64_t block_time = 0;
    std::vector<ReachedWarp> warps;

    void add(const Release& release);
    bool covers(const EarlierAccess& access) const;
  };
  /// All releases that some knowledge leads to, by the block that released. Stays true, since what is
  /// known never changes.
  struct Reached {
    Knowledge from;
    uint64_t block = 0;        ///< whose releases of .cta scope count
    bool is_of_block = false;  ///< some are of .cta scope: it holds for that block alone
    bool past_limit = false;
    std::unordered_map<uint64_t, ReachedBlock> blocks;
  };
  const Known* remember(SyncLocation* at, size_t releases, const Known* next,
                        uint64_t only_block = 0);
  /// Puts it in front of `into`, unless that has as much near its front.
  void add(const Known& known, uint64_t only_block, const Known*& into);
  const Reached& reached_from(const Knowledge& knowledge, uint64_t block);
  Reached search(const Knowledge& knowledge, uint64_t block);

  std::unordered_map<Place, SyncLocation, PlaceHash> places_;
  std::deque<Known> known_;
  std::unordered_set<const Known*, KnownHash, SameKnown> alike_;  ///< all of `known_`
  std::deque<Reached> reached_;  ///< the latest that were asked for
  uint64_t searches_ = 0;
  size_t kept_ = 0;  ///< releases and Known
  std::atomic<bool> overflown_{false}, gave_up_{false};
  std::atomic<bool> used_{false};  ///< something was released
  std::mutex mutex_;
};

}  // namespace warpgrade::emulator
