// SPDX-License-Identifier: MIT
#include "emulator/exec/access_notes.h"

namespace warpgrade::emulator {
namespace {

Use use_of(const Instruction& instruction, bool write) {
  const unsigned ordering = instruction.ordering;
  // What is atomic only within its block is nothing special to another kernel.
  const bool strong = (ordering & kStrong) != 0 && (ordering & kInBlock) == 0;
  if (strong && (ordering & kAtomic) != 0) return Use::atomic;
  if (strong) return write ? Use::volatile_write : Use::volatile_read;
  return write ? Use::write : Use::read;
}

MemoryUser user_of(const Warp& warp, const Instruction& instruction, int lane, uint64_t address) {
  MemoryUser user;
  user.pc = instruction.pc;
  user.block = static_cast<uint32_t>(warp.block->linear_index);
  user.thread = static_cast<uint16_t>(warp.index * kWarpSize + static_cast<uint32_t>(lane));
  user.at = static_cast<uint16_t>(address);
  return user;
}

/// Calls `note` with each map that takes the warp's accesses.
template <class Note>
void for_maps(const Warp& warp, const Note& note) {
  const Worker& worker = *warp.worker;
  if (worker.accesses != nullptr) note(*worker.accesses);
  if (worker.early != nullptr && !warp.block->has_waited_for_grids) note(*worker.early);
}

void note_lanes_in(AccessMap& map, const Warp& warp, const Instruction& instruction,
                   const AccessMemo& memo, uint64_t base, unsigned bytes, Use use) {
  if (map.leaves_out(base)) return;
  MemoryUser user = user_of(warp, instruction, first_lane(memo.mask), base);
  if (memo.shape == AccessShape::uniform) return map.note(base, bytes, use, user);
  if (memo.shape == AccessShape::contiguous && memo.mask == kFullMask) {
    user.step = static_cast<uint8_t>(bytes);
    return map.note(base, uint64_t{bytes} * kWarpSize, use, user);
  }
  for (uint32_t mask = memo.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    const uint64_t address = base + static_cast<uint64_t>(memo.relative[static_cast<size_t>(lane)]);
    map.note(address, bytes, use, user_of(warp, instruction, lane, address));
  }
}

}  // namespace

void note_lanes(Warp& warp, const Instruction& instruction, const AccessMemo& memo, uint64_t base,
                unsigned bytes, bool write) {
  const Use use = use_of(instruction, write);
  for_maps(warp,
           [&](AccessMap& map) { note_lanes_in(map, warp, instruction, memo, base, bytes, use); });
}

void note_lane(Warp& warp, const Instruction& instruction, int lane, uint64_t address,
               unsigned bytes, bool write) {
  const MemoryUser user = user_of(warp, instruction, lane, address);
  for_maps(warp,
           [&](AccessMap& map) { map.note(address, bytes, use_of(instruction, write), user); });
}

}  // namespace warpgrade::emulator
