// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "emulator/counters/access_memo.h"

// What atomics cost on cc 9.0, as measured (testing/ground_truth/atomics.cu).

namespace warpgrade::emulator {

/// Sectors of an atomic or a reduction on global memory: lanes with the same address take turns,
/// and each turn counts the sectors that it touches.
unsigned atomic_sectors(uint32_t mask, const uint64_t* addresses, unsigned bytes);

/// How the hardware does an atomic on shared memory.
enum class SharedAtomic : uint8_t {
  native,  ///< one instruction; lanes with the same address take turns
  count,   ///< adds 1 for nobody to read: lanes with the same address go together
  merged,  ///< ptxas has one lane speak for all, whose address is the same
  swap,    ///< compare and swap: two passes
  loop,    ///< a loop of loads and compare-and-swaps
};

struct SharedAtomicCost {
  SharedCost atomics;
  unsigned loads = 0, lanes = 0;  ///< of the loop's turns
  SharedCost of_loads;
};
SharedAtomicCost shared_atomic_cost(SharedAtomic how, uint32_t mask, const uint64_t* addresses,
                                    unsigned bytes);

}  // namespace warpgrade::emulator
