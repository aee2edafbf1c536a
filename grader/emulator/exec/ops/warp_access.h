// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>

#include "emulator/checkers/watch.h"
#include "emulator/exec/ops/lanes.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

/// The most bytes that a lane accesses at once.
constexpr unsigned kMaxLaneBytes = 16;

/// What st is about to store for a lane.
inline void collect_stored(const Warp& warp, const Instruction& i, int lane, unsigned bytes,
                           uint8_t* stored) {
  const unsigned size = bytes / i.elements;
  const auto element = [&](uint32_t reg, unsigned index) {
    std::memcpy(stored + index * size,
                warp.reg<uint8_t>(reg) + static_cast<unsigned>(lane) * i.bytes, size);
  };
  if (i.elements == 1) return element(i.b, 0);
  const Detail& detail = warp.worker->launch->module->program.details[i.detail];
  for (unsigned index = 0; index < i.elements; ++index) element(detail.registers[index], index);
}

/// One access of a warp; `allocation` is null for shared memory.
struct WarpAccess {
  Warp& warp;
  const Instruction& instruction;
  const AccessMemo& memo;
  const Allocation* allocation;
  uint64_t base;
  unsigned bytes;
  bool write;

  void each_lane(uint32_t lanes) const {
    for_each_lane(lanes, [&](int lane) {
      const uint64_t address =
          base + static_cast<uint64_t>(memo.relative[static_cast<size_t>(lane)]);
      uint8_t* const host =
          allocation == nullptr ? warp.block->shared.data() + address : allocation->at(address);
      uint8_t stored[kMaxLaneBytes];
      if (write) collect_stored(warp, instruction, lane, bytes, stored);
      watch_lane(warp, instruction, lane, {allocation, address, host}, bytes, instruction.elements,
                 write, write ? stored : nullptr);
    });
  }

  Cell* lane_cell(int lane) const {
    return cell(base + static_cast<uint64_t>(memo.relative[static_cast<size_t>(lane)]));
  }
  Cell* cell(uint64_t address) const {
    return allocation == nullptr ? warp.block->watch->shared.data() + address / 4
                                 : allocation->cell(address);
  }
};

}  // namespace warpgrade::emulator::WARPGRADE_ISA
