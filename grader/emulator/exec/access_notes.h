// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "emulator/exec/warp.h"
#include "emulator/exec/worker.h"

// What a launch notes of its accesses to global memory for the race checker between streams, where
// LaunchOptions::note_accesses asks for it.

namespace warpgrade::emulator {

/// Whether accesses to the allocation are noted. What the runtime itself keeps there is not the
/// program's, and blocks of the heap go from kernel to kernel.
inline bool is_noted(const Warp& warp, const Allocation* allocation) {
  const Worker& worker = *warp.worker;
  return (worker.accesses != nullptr || worker.early != nullptr) && allocation != nullptr &&
         allocation->kind != AllocationKind::heap &&
         allocation->begin != worker.launch->request->grid_workspace;
}
/// The lanes of `memo` access `bytes` bytes each.
void note_lanes(Warp& warp, const Instruction& instruction, const AccessMemo& memo, uint64_t base,
                unsigned bytes, bool write);
void note_lane(Warp& warp, const Instruction& instruction, int lane, uint64_t address,
               unsigned bytes, bool write);

}  // namespace warpgrade::emulator
