// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/counters/footprint.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

/// Where lanes of one instruction access a device's memory, for the time model: textures, surfaces and
/// asynchronous copies go through the same caches as loads and stores.
struct LaneTraffic {
  uint64_t addresses[kWarpSize] = {};
  uint32_t lanes = 0;
  const Allocation* allocation = nullptr;

  void add(int lane, uint64_t address, const Allocation* of) {
    addresses[lane] = address;
    lanes |= 1u << lane;
    if (allocation == nullptr) allocation = of;
  }

  /// Adds a request of `bytes` a lane to the sample of the launch, where its block is one of it.
  void sample(const Warp& warp, unsigned bytes, bool write) const {
    Footprint* const footprint = warp.worker->footprint;
    if (footprint == nullptr || lanes == 0) return;
    AccessMemo memo;
    memorise(memo, lanes, addresses, bytes);
    memo.allocation = allocation;
    const uint64_t base = addresses[first_lane(lanes)];
    write ? footprint->store(warp.index, memo, base, bytes)
          : footprint->load(warp.index, memo, base, bytes);
  }

  /// The same, and counts the request and its sectors.
  void count(const Warp& warp, const Instruction& i, unsigned bytes, bool write) const {
    if (lanes == 0) return;
    AccessMemo memo;
    memorise(memo, lanes, addresses, bytes);
    ExecutionCount& counts = warp.worker->counts[i.pc];
    ++counts.requests;
    counts.sectors += count_sectors(memo, addresses[first_lane(lanes)], bytes);
    sample(warp, bytes, write);
  }
};

}  // namespace warpgrade::emulator::WARPGRADE_ISA
