// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "emulator/counters/access_memo.h"

namespace warpgrade::emulator {

/// A matrix that wmma.load or wmma.store moves: rows, or columns, of `length` elements each.
struct MatrixAccess {
  uint64_t base = 0, stride_bytes = 0;  ///< of one line to the next
  unsigned lines = 0, length = 0, element_bits = 16;
  bool accumulator = false;
  bool natural =
      true;  ///< a lane's elements follow each other: a and accumulators by rows, b by columns
};

/// Counts the accesses that ptxas makes of it: eight lines by four lanes of the warp, or the other
/// way round (measured on cc 9.0 with testing/ground_truth/ampere.cu).
/// `see` hears of each request to global memory.
using SeeRequest = std::function<void(AccessMemo& memo, uint64_t base, unsigned bytes)>;
void count_matrix(ExecutionCount& counts, const MatrixAccess& access, bool shared, bool store,
                  const SeeRequest& see = nullptr);

}  // namespace warpgrade::emulator
