// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "emulator/exec/warp.h"
#include "emulator/exec/worker.h"

// The slow half of memory access: what the ops fall back on when the lanes of a warp do not all lie
// in the memory that the same instruction accessed last time.

namespace warpgrade::emulator {

/// The live allocation of this launch's device that holds all lanes, noted as touched; null where
/// there is none. In the heap of malloc in kernels, every lane must lie in a block.
const Allocation* common_allocation(Warp& warp, const AccessMemo& memo, uint64_t base,
                                    unsigned bytes, bool write);

/// Host address of `bytes` bytes (at most 4 for local memory) that one lane accesses by a generic
/// or global address. Null, with a fault reported, where the lane may not.
uint8_t* lane_pointer(Warp& warp, const Instruction& instruction, int lane, uint64_t address,
                      unsigned bytes, bool write);
/// The same for an offset in the block's shared memory.
uint8_t* shared_pointer(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                        unsigned bytes, bool write);
/// The same for an offset in the lane's local memory; `bytes` at most 4 and inside one word.
uint8_t* local_pointer(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                       unsigned bytes, bool write);

enum class LaneSpace : uint8_t { generic, shared, local };

/// Copies what each lane accesses to or from `staging` (32 x bytes), lane by lane. Lanes that may
/// not access read zeros and write nothing.
void gather_lanes(Warp& warp, const Instruction& instruction, LaneSpace space,
                  const uint64_t* addresses, unsigned bytes, uint8_t* staging);
void scatter_lanes(Warp& warp, const Instruction& instruction, LaneSpace space,
                   const uint64_t* addresses, unsigned bytes, const uint8_t* staging);

/// Counts what the lanes access in the shared memory of other blocks of the cluster, by offsets or generic addresses.
void count_far(Warp& warp, const Instruction& instruction, uint32_t lanes,
               const uint64_t* addresses);

/// The shared array that holds [begin, end), or null.
const SharedVariable* shared_variable(const LaunchContext& launch, uint64_t begin, uint64_t end);

/// Reports the lanes that access the row padding of a pitched allocation.
void check_padding(Warp& warp, const Instruction& instruction, const AccessMemo& memo,
                   uint64_t base, const Allocation& allocation, unsigned bytes, bool write);

/// Counts an access by addresses of any space, some of which may lie in shared or local memory.
void count_generic(Warp& warp, const Instruction& instruction, const uint64_t* addresses,
                   unsigned bytes, bool write);

void report_misaligned(Warp& warp, const Instruction& instruction, const uint64_t* addresses,
                       unsigned bytes, bool write);

}  // namespace warpgrade::emulator
