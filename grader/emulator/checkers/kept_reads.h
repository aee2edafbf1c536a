// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/checkers/cell.h"
#include "emulator/checkers/happens_before.h"

namespace warpgrade::emulator {

struct SplitUpdate;

/// What the threads of a block have read by strong loads and by atomics, until they go on from it.
class KeptReads {
 public:
  struct Read {
    uint32_t pc = 0;
    /// In a waiting loop: who waits for a value goes on from that one, whoever orders it.
    bool waits = false;
    /// Repeated until it found one value: until the thread writes, no other does.
    bool turn = false;
    Cell met =
        0;  ///< the cell, where a strong write was in it that nothing ordered before the read
    /// The read itself acquired what orders that write, and this is what its thread knew of others then.
    bool by_itself = false;
    Knowledge known = {};
    /// Since then, the thread has written there what is not made of it, and may have put that in the place of all.
    bool passed = false, wiped = false;
  };
  /// What a write goes on from.
  struct Origin {
    bool any = false;   ///< a read that does not wait
    bool made = false;  ///< one that the write is made of
    Read read;          ///< that one, which met something if any of them did
  };

  bool empty() const { return reads_.empty(); }
  void clear() { reads_.clear(); }
  /// Takes the place of an earlier one by the same instruction.
  void note(const Cell* cell, uint32_t thread, const Read& read);
  /// `update` may be null: nothing says what the write is made of.
  Origin origin(const Cell* cell, uint32_t thread, const SplitUpdate* update) const;
  /// The thread has written something else. `wipes`: whatever was there.
  void pass(const Cell* cell, uint32_t thread, bool wipes);
  /// It has gone on from its reads, or has found them still true.
  void forget(const Cell* cell, uint32_t thread) { reads_.erase(key_of(cell, thread)); }

 private:
  static uint64_t key_of(const Cell* cell, uint32_t thread) {
    constexpr unsigned kThreadBits = 10;
    return reinterpret_cast<uintptr_t>(cell) << kThreadBits | thread;
  }

  std::unordered_map<uint64_t, std::vector<Read>> reads_;  ///< by word and thread
};

}  // namespace warpgrade::emulator
