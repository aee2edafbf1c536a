// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <list>
#include <optional>

#include "emulator/exec/lookout.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {

/// What a worker has left to do in a launch.
struct Share {
  std::list<Block> resident, spare;
  uint64_t turn = 0;
  size_t waiting = 0;  ///< of the resident ones: Block::waits
  bool has_begun = false;
  bool more = true;          ///< perhaps, blocks that no worker has begun
  uint64_t after_fault = 0;  ///< instructions of all blocks since the fault
  bool went_on = false;      ///< since take_turns() was called, it has done more than wait
};

/// Runs blocks until none is left; several at a time where they wait for each other. Where it may pause, it also returns
/// when all of them wait for what none of them writes, and goes on from there when it is called again.
void take_turns(Worker& worker, Share& share, Lookout& lookout, bool may_pause);

/// A place where the block runs, or else one where it waits; it has no checker and no message.
std::optional<Finding> place_of(Block& block);

Finding to_finding(const LaunchContext& launch, const FaultKey& key, const Fault& fault);

}  // namespace warpgrade::emulator
