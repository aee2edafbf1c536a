// SPDX-License-Identifier: MIT
#include "emulator/exec/ops/watched.h"

#include <algorithm>
#include <array>
#include <utility>

#include "emulator/checkers/constant_data.h"
#include "emulator/checkers/dropped_lanes.h"
#include "emulator/exec/access_notes.h"
#include "emulator/exec/ops/fast_cells.h"

namespace warpgrade::emulator::WARPGRADE_ISA {
namespace {

/// Whether data that the kernel reads as constants is written by it, as far as the cells tell. Notes
/// which words are read so.
bool touches_constants(const WarpAccess& access) {
  const Shadow& shadow = access.allocation->shadow;
  const LaunchWatch& watch = *access.warp.worker->launch->watch;
  const bool reads = (access.instruction.flags & Instruction::kConstantData) != 0 && !access.write;
  uint16_t* const marks = reads ? constant_marks(*access.allocation) : shadow.constant_in;
  if (!watch.race || marks == nullptr) return false;
  const Cell generation = watch.global.generation;
  const auto launch = static_cast<uint16_t>(generation >> kGenerationShift);
  constexpr Cell kWrote = kWrites | Cell{kWarpWrote | kBlockWrote} << kFlagShift;
  Cell touched = 0;
  const auto look = [&](const Cell* cells, size_t count) {
    uint16_t* const at = marks + (cells - shadow.cells);
    if (reads) {
      for (size_t k = 0; k < count; ++k)
        touched |= where(cells[k] >= generation) & cells[k] & kWrote;
      std::fill_n(at, count, launch);
    } else if (access.write) {
      for (size_t k = 0; k < count; ++k) touched |= static_cast<Cell>(at[k] == launch);
    }
  };
  const AccessMemo& memo = access.memo;
  const size_t words = (access.bytes + 3) / 4;
  if (memo.shape == AccessShape::uniform)
    look(access.cell(access.base), words);
  else if (memo.shape == AccessShape::contiguous && memo.mask == kFullMask)
    look(access.cell(access.base), (access.bytes * kWarpSize + (access.base & 3) + 3) / 4);
  else
    for_each_lane(memo.mask, [&](int lane) { look(access.lane_cell(lane), words); });
  return touched != 0;
}

/// Notes that the launch's kernel writes what the lanes access.
void note_writers(const WarpAccess& access) {
  OriginId* const origins = access.allocation->shadow.origins;
  if (origins == nullptr) return;
  const OriginId writer = access.warp.worker->launch->watch->writer;
  OriginId* const at = origins + (access.base - access.allocation->begin);
  const AccessMemo& memo = access.memo;
  if (memo.shape == AccessShape::contiguous && memo.mask == kFullMask) {
    std::memset(at, writer, size_t{access.bytes} * kWarpSize);
  } else if (memo.shape == AccessShape::uniform) {
    std::memset(at, writer, access.bytes);
  } else {
    for_each_lane(memo.mask, [&](int lane) {
      std::memset(at + memo.relative[static_cast<size_t>(lane)], writer, access.bytes);
    });
  }
}

/// Lanes that access the same bytes as another lane.
uint32_t overlapping_lanes(const AccessMemo& memo) {
  std::array<std::pair<int64_t, int>, kWarpSize> places;
  size_t count = 0;
  for_each_lane(memo.mask, [&](int lane) {
    places[count++] = {memo.relative[static_cast<size_t>(lane)], lane};
  });
  std::sort(places.begin(), places.begin() + static_cast<long>(count));
  uint32_t lanes = 0;
  for (size_t at = 1; at < count; ++at) {
    if (places[at].first == places[at - 1].first)
      lanes |= 1u << places[at].second | 1u << places[at - 1].second;
  }
  return lanes;
}

}  // namespace

void watch_lanes(Warp& warp, const Instruction& instruction, AccessMemo& memo,
                 const Allocation* allocation, uint64_t base, unsigned bytes, bool write) {
  if (write && allocation != nullptr) emulator::note_writers(warp, *allocation, memo.mask);
  if (is_noted(warp, allocation)) note_lanes(warp, instruction, memo, base, bytes, write);
  if (allocation != nullptr && allocation->shadow.cells == nullptr) return;
  if (!memo.overlap_known) {
    memo.overlapping = overlapping_lanes(memo);
    memo.overlap_known = true;
  }
  const WarpAccess access{warp, instruction, memo, allocation, base, bytes, write};
  if ((instruction.ordering & kMayDrop) != 0)
    return access.each_lane(memo.mask & ~lanes_that_drop(warp, instruction));
  // Lanes that write to the same place are one after another, as a lane alone is.
  if (write && memo.overlapping != 0) return access.each_lane(memo.mask);
  if (allocation != nullptr && touches_constants(access)) return access.each_lane(memo.mask);
  if (write && allocation != nullptr) note_writers(access);
  FastCells fast(access);
  if (fast.applies())
    fast.run();
  else
    access.each_lane(memo.mask);
}

}  // namespace warpgrade::emulator::WARPGRADE_ISA
