// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "emulator/checkers/happens_before.h"

namespace warpgrade::emulator {

/// Which loads of other blocks are over when a block stores. A barrier ends a block's loads. A block
/// that then loads what the first one stored strongly runs behind those loads, without release and
/// acquire: no load gets a value that depends on its own (PTX ISA, memory consistency model,
/// no-thin-air). A store is not over in this way.
class LoadsOver {
 public:
  /// Who does something, and the time of its block.
  struct Actor {
    uint64_t block = 0, time = 0;
    uint32_t thread = 0;
  };
  /// A strong store that is no atomic operation. `floor`: when the block last met.
  void note_store(const Actor& me, uint64_t floor);
  /// A strong load of what another block stored at its time `stored`.
  void note_load(const Actor& me, uint64_t from_block, uint64_t stored);
  /// Whether the block did a strong store that is no atomic operation at that time of its, or later.
  bool has_stored(uint64_t block, uint64_t time);
  /// Whether the load is over for a store of a thread whose block last met at `floor`.
  bool has_ended(const EarlierAccess& load, const Actor& me, uint64_t floor);

 private:
  /// A store that the block has seen.
  struct Seen {
    uint64_t block, stored;
    uint64_t ended;  ///< loads of that block before this time
    size_t knew;     ///< of `seen` of that block when it stored
    uint64_t at;     ///< the observer's time
    uint32_t thread;
  };
  struct Stored {
    uint64_t time = 0, floor = 0;
    size_t knew = 0;
  };
  struct OfBlock {
    Stored last;
    std::vector<Seen> seen;
    std::unordered_map<uint64_t, uint64_t> latest;  ///< store that was last seen, by block
  };
  /// By block, until when its loads are over for what the key says.
  struct Ended {
    uint64_t block = 0, floor = 0, warp = 0;
    size_t seen = 0;
    bool past_limit = false;
    std::unordered_map<uint64_t, uint64_t> until;
  };
  const Ended& ended_for(const Actor& me, uint64_t floor, const OfBlock& mine);
  void search(const Actor& me, uint64_t floor, Ended& ended) const;

  std::unordered_map<uint64_t, OfBlock> blocks_;
  std::deque<Ended> ended_;  ///< the latest that were asked for
  size_t kept_ = 0;
  std::mutex mutex_;
};

}  // namespace warpgrade::emulator
