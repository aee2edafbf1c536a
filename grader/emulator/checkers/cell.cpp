// SPDX-License-Identifier: MIT
#include "emulator/checkers/cell.h"

#include <algorithm>
#include <bit>

namespace warpgrade::emulator {

CellLayout global_layout(uint64_t blocks, uint32_t threads, uint64_t generation) {
  CellLayout layout;
  layout.time_shift = kThreadShift + static_cast<unsigned>(std::bit_width(threads - 1));
  // A grid too large for its cells gets no times, and with them no findings.
  const unsigned block_bits = std::min(static_cast<unsigned>(std::bit_width(blocks - 1)),
                                       kGenerationShift - layout.time_shift);
  layout.block_shift = kGenerationShift - block_bits;
  layout.generation = generation << kGenerationShift;
  return layout;
}

CellLayout shared_layout(uint32_t threads) {
  CellLayout layout;
  layout.time_shift = kThreadShift + static_cast<unsigned>(std::bit_width(threads - 1));
  return layout;
}

}  // namespace warpgrade::emulator
