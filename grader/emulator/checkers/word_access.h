// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "emulator/checkers/race_rules.h"
#include "emulator/checkers/watch.h"

namespace warpgrade::emulator {

/// One lane's access to one word: judged by the word's cell, or byte by byte where the word's bytes have different owners.
class WordAccess {
 public:
  WordAccess(LaunchWatch& watch, BlockWatch& block, const Accessor& me, Cell& cell)
      : watch_(watch), block_(block), me_(me), cell_(cell) {}

  /// `bytes`: which of the word's. The conflict, if any, and the cell that it was with.
  Outcome perform(unsigned bytes) {
    const bool fresh = !me_.layout.is_of_launch(cell_);
    if (!fresh && (kind_of(cell_) == Kind::split || bytes_of(cell_) != bytes))
      return perform_by_byte(bytes);
    const Cell before = cell_;
    const Outcome outcome = judge(me_, cell_);
    cell_ = (outcome.next & ~kBytesBits) | Cell{bytes} << kBytesShift;
    return {before, outcome.conflict};
  }

 private:
  Outcome perform_by_byte(unsigned bytes);
  std::array<Cell, 4> parts_of(SplitWords& words) const;
  void join(SplitWords& words, const std::array<Cell, 4>& parts);

  LaunchWatch& watch_;
  BlockWatch& block_;
  const Accessor& me_;
  Cell& cell_;
};

}  // namespace warpgrade::emulator
