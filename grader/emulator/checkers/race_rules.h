// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "emulator/checkers/block_clock.h"
#include "emulator/checkers/cell.h"
#include "emulator/checkers/loads_over.h"

namespace warpgrade::emulator {

/// How an access takes part in races. Strong accesses (volatile, relaxed, acquire, release, atomic)
/// do not race with each other, but a load and a later store are no atomic update, and a value that a load only
/// hands on may be an old one unless something orders its store before.
enum class Act : uint8_t { read, write, strong_read, strong_write };

/// Who accesses, and how.
struct Accessor {
  BlockClock& clock;
  const CellLayout& layout;
  LoadsOver& loads_over;
  uint32_t thread = 0;
  Act act = Act::read;
  bool shared = false;       ///< the memory is the block's own
  bool in_block = false;     ///< strong, of .cta scope
  bool is_volatile = false;  ///< strong, but no atomic read-modify-write
  bool is_data = false;      ///< a strong load of a value that decides nothing: data_loads.h
  bool has_read = false;     ///< a strong store to what the thread loaded before
  bool is_made = false;      ///< a write of what the thread has made of a read before
  bool observes = false;     ///< gets the old value of what it writes atomically
  bool by_warp = false;      ///< the whole warp together
  bool copying = false;      ///< written by cp.async
  bool same_value = false;   ///< what it writes is there already

  bool writes() const { return act == Act::write || act == Act::strong_write; }
};

enum class Conflict : uint8_t {
  none,
  with_owner,          ///< of the cell as it was
  with_others,         ///< with another block or warp that accessed as the owner did
  with_earlier_write,  ///< of the owner's warp or block
  with_copy,           ///< with the owner's cp.async, which nobody has waited for
};

/// The cell after the access, all four bytes of which have the same owner. Bits of written bytes
/// and of which bytes they are (kBytesBits) stay as they are.
struct Outcome {
  Cell next;
  Conflict conflict;
};
Outcome judge(const Accessor& me, Cell cell);

/// With a strong write of another thread in the cell that nothing orders before what this one does.
Conflict with_unordered_update(const Accessor& me, Cell cell);

}  // namespace warpgrade::emulator
