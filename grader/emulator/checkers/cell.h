// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "emulator/memory/shadow.h"

// What a cell holds of the last accesses to its four bytes, from its low end: the bytes that were
// ever written (4 bits), Kind (4), flags (3), which bytes the owner accessed (5), then the owner:
// its thread in the block, the block's time, the block; at last the launch (10). A cell of an
// earlier launch is smaller than any of this one, and in one block an earlier access is smaller
// than a later one, which is what the fast paths compare.

namespace warpgrade::emulator {

constexpr unsigned kKindShift = 4, kFlagShift = 8, kBytesShift = 11, kThreadShift = 16,
                   kGenerationShift = 53;

enum class Kind : uint8_t {
  none,
  read_by_thread,
  read_by_warp,   ///< several lanes of the owner's warp
  read_by_block,  ///< several warps of the owner's block
  read_by_grid,   ///< several blocks; the owner was the first
  read_strongly,  ///< volatile, relaxed or acquire loads only
  split,          ///< the bytes have different owners: look in SplitWords
  written = 8,
  written_strongly,              ///< by atomics or volatile stores; the owner has seen all of them
  written_strongly_by_block,     ///< several warps of the owner's block, unseen by it
  written_strongly_by_warp,      ///< several lanes of the owner's warp, unseen by it
  written_strongly_by_grid = 12  ///< several blocks
};
/// Set in kinds that the owner alone does not tell all of.
constexpr Cell kNotOwnersAlone = Cell{4} << kKindShift;
/// Set in kinds that write.
constexpr Cell kWrites = Cell{8} << kKindShift;

/// Flags: before the owner's access, its warp wrote, which other warps need not see;
constexpr unsigned kWarpWrote = 1;
/// before the owner's access, its block wrote, which other blocks need not see;
constexpr unsigned kBlockWrote = 2;
/// written: the copy is under way (cp.async). written_strongly, global memory: of .cta scope;
/// shared memory: by volatile stores only.
constexpr unsigned kSpecial = 4;
/// written: the whole warp wrote together (wmma.store, stmatrix).
constexpr unsigned kByWarp = kWarpWrote;

constexpr Cell kKindBits = Cell{0xF} << kKindShift, kFlagBits = Cell{7} << kFlagShift,
               kBytesBits = Cell{0x1F} << kBytesShift;
/// Bytes: 0 to 15 are those of one owner; 16 to 31 those of consecutive threads, the owner being
/// that of byte 0.
constexpr unsigned kAllBytes = 15, kOwnerPerByte = 16;

/// How the bits above kThreadShift are shared out; block 0 only where the memory is a block's own.
struct CellLayout {
  unsigned time_shift = kThreadShift, block_shift = kGenerationShift;
  Cell generation = 0;  ///< in place

  uint64_t last_thread() const { return (uint64_t{1} << (time_shift - kThreadShift)) - 1; }
  uint64_t last_time() const { return (uint64_t{1} << (block_shift - time_shift)) - 1; }
  uint64_t last_block() const { return (uint64_t{1} << (kGenerationShift - block_shift)) - 1; }

  uint32_t thread(Cell cell) const {
    return static_cast<uint32_t>(cell >> kThreadShift & last_thread());
  }
  uint64_t time(Cell cell) const { return cell >> time_shift & last_time(); }
  uint64_t block(Cell cell) const { return cell >> block_shift & last_block(); }
  /// All that is left of an earlier launch is what was written.
  bool is_of_launch(Cell cell) const { return cell >= generation && (cell & kKindBits) != 0; }
  Cell owner(uint64_t block, uint64_t time, uint32_t thread) const {
    return generation | block << block_shift | time << time_shift | Cell{thread} << kThreadShift;
  }
};

constexpr Kind kind_of(Cell cell) { return static_cast<Kind>(cell >> kKindShift & 0xF); }
constexpr unsigned flags_of(Cell cell) { return static_cast<unsigned>(cell >> kFlagShift & 7); }
constexpr unsigned bytes_of(Cell cell) { return static_cast<unsigned>(cell >> kBytesShift & 0x1F); }
constexpr Cell with_kind(Cell owner, Kind kind, unsigned flags = 0, unsigned bytes = kAllBytes) {
  return owner | static_cast<Cell>(kind) << kKindShift | Cell{flags} << kFlagShift |
         Cell{bytes} << kBytesShift;
}

/// For `threads` a block and `blocks` of them; leaves the rest to the time.
CellLayout global_layout(uint64_t blocks, uint32_t threads, uint64_t generation);
CellLayout shared_layout(uint32_t threads);

}  // namespace warpgrade::emulator
