// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "emulator/memory/device_memory.h"

namespace warpgrade::emulator {

/// How often one instruction ran, by warps and by lanes, and what its memory accesses cost.
/// One line of the host's cache.
struct alignas(64) ExecutionCount {
  uint64_t warps = 0;       ///< executed by a warp, fully predicated off or not
  uint64_t lanes = 0;       ///< sum of active lanes
  uint64_t requests = 0;    ///< with at least one active lane
  uint64_t sectors = 0;     ///< 32-byte sectors of global or local memory
  uint64_t wavefronts = 0;  ///< of shared memory
  uint64_t conflicts = 0;   ///< wavefronts beyond one per group of lanes
  uint64_t bytes = 0;       ///< of global memory, each once a request
};

/// What only few instructions do besides.
struct RareCount {
  uint64_t divergent = 0;       ///< branches after which a warp's lanes part
  uint64_t local_requests = 0;  ///< by generic addresses
  uint64_t local_sectors = 0;
  uint64_t shared_requests = 0;  ///< likewise
  uint64_t loads = 0;            ///< from shared memory, in an atomic's loop
  uint64_t load_wavefronts = 0, load_conflicts = 0;
  uint64_t loop_lanes = 0;  ///< of that loop's turns, all together
  uint64_t slow =
      0;  ///< lanes whose numbers take further steps: OtherSteps::slow_products, slow_sums
  uint64_t far_lines = 0,
           far_sectors = 0;  ///< in the shared memory of other blocks of the cluster, by requests
  uint64_t apart = 0;  ///< lanes whose numbers take none of the steps that arithmetic_of() counts
  /// of shared memory, by an asynchronous copy into it
  uint64_t copy_wavefronts = 0, copy_conflicts = 0;
};

enum class AccessShape : uint8_t { uniform, contiguous, scattered };

/// What is known of an instruction's last access: the addresses of its lanes relative to the first
/// active one. As long as that pattern repeats, its extent, shape and cost need not be worked out
/// again.
struct AccessMemo {
  uint32_t mask = 0;  ///< 0: nothing known
  AccessShape shape = AccessShape::scattered;
  bool misaligned = false;  ///< some lane is not aligned like the first
  bool overlap_known = false;
  uint32_t overlapping = 0;  ///< where known: lanes at whose address others are, too
  alignas(64) std::array<int64_t, 32> relative;
  int64_t lowest = 0, end = 0;        ///< extent relative to the first active lane, at most 2^49
  std::array<uint8_t, 32> sectors{};  ///< by the first address modulo 32; 0: not known
  uint16_t distinct_bytes = 0;        ///< known where one of the sectors is
  uint8_t bank_phase = 0xFF;          ///< first address modulo 16 that the two below hold for
  uint8_t wavefronts = 0, conflicts = 0;
  const Allocation* allocation = nullptr;       ///< the last one accessed
  uint32_t shared_begin = 0, shared_bytes = 0;  ///< the last shared array accessed
};

/// Works out mask, shape, misalignment and extent of a new pattern of accesses of `bytes` each.
void memorise(AccessMemo& memo, uint32_t mask, const uint64_t* addresses, unsigned bytes);

/// Distinct 32-byte sectors that the lanes touch when the first active lane's address is `base`.
/// ncu: l1tex__t_sectors_pipe_lsu_mem_global_op_*.
unsigned count_sectors(const AccessMemo& memo, uint64_t base, unsigned bytes);

/// Distinct bytes that the lanes touch. ncu: smsp__sass_data_bytes_mem_global_op_*.
unsigned count_bytes(const AccessMemo& memo, unsigned bytes);

/// The same as count_sectors() for an asynchronous copy of 16 bytes a lane that bypasses L1 (cp.async.cg): lanes share
/// a sector only where they fill one line of shared memory at the same distance.
unsigned count_bypass_sectors(uint32_t mask, const uint64_t* from, const uint64_t* to);

struct LocalCost {
  unsigned requests = 0, sectors = 0;
};
/// Local memory is interleaved by words of the 32 lanes, and a request moves one word of each.
/// `offsets` are those in each lane's own memory.
LocalCost local_cost(uint32_t mask, const uint64_t* offsets, unsigned bytes);

struct SharedCost {
  unsigned wavefronts = 0, conflicts = 0;
};
/// Shared-memory wavefronts and bank conflicts for 32 banks of 4 bytes: 8-byte accesses go by
/// half-warps and 16-byte ones by quarters. Those of a load merge when every lane pairs with its
/// neighbour; those of a store do not (testing/ground_truth/shared.cu).
SharedCost shared_cost(uint32_t mask, const uint64_t* addresses, unsigned bytes, bool store);
/// The same for an asynchronous copy into shared memory. Banks are busy on both of its sides (testing/ground_truth/ampere.cu).
/// `reading`: the lanes that read anything; the others write zeros.
SharedCost copy_cost(uint32_t mask, const uint64_t* to, uint32_t reading, const uint64_t* from,
                     unsigned bytes);
/// The same for the first of `joined` neighbouring accesses that are one on hardware; 0 are the others, which cost
/// nothing.
SharedCost joined_cost(uint32_t mask, const uint64_t* addresses, unsigned bytes, unsigned joined,
                       bool store);

}  // namespace warpgrade::emulator
