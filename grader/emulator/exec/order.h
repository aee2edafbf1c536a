// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// The orders in which blocks, warps and groups of lanes may run: a GPU promises none. Whoever races
// computes something else under another order; whoever does not computes the same under all.

namespace warpgrade::emulator {

constexpr uint64_t kNaturalOrder = 0;
constexpr uint64_t kReversedOrder = 1;

/// A number that depends on all three and looks random.
uint64_t mixed(uint64_t order, uint64_t a, uint64_t b);

/// One arrangement of 0 .. count-1 for each order and salt: as they are for kNaturalOrder, last to
/// first for kReversedOrder, shuffled for all others.
class Permutation {
 public:
  Permutation(uint64_t order, uint64_t salt, uint64_t count);

  /// `index` < count.
  uint64_t operator()(uint64_t index) const {
    if (step_ == 1 && start_ == 0) return index;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(index) * step_ + start_) % count_);
  }

 private:
  uint64_t count_, step_ = 1, start_ = 0;
};

}  // namespace warpgrade::emulator
