// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/checkers/cell.h"

namespace warpgrade::emulator {

/// Which instruction last made a warp the owner of some cell in a row of 32.
class AccessLog {
 public:
  /// An instruction, and a bit for each cell of the row that it was the last to take.
  struct Access {
    uint32_t pc = 0, cells = 0;
  };
  struct Entry {
    const void* row = nullptr;
    uint64_t block = 0, time = 0;
    uint32_t warp = 0;
    Access last, before;
  };
  static constexpr uintptr_t kRow = 32;  ///< cells
  static uint32_t index_of(const Cell* cell) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(cell) / sizeof(Cell) % kRow);
  }
  static uint32_t bit_of(const Cell* cell) { return 1u << index_of(cell); }
  static const void* row_of(const Cell* cell) {
    return reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(cell) & ~uintptr_t{255});
  }
  /// `cells`: bit_of() each that the instruction took, all of them of one row.
  void note(const void* row, uint32_t cells, uint64_t block, uint64_t time, uint32_t warp,
            bool write, uint32_t pc);
  /// The instruction of exactly that access, at whatever time where none is given, or kNoDetail.
  uint32_t find(const Cell* cell, uint64_t block, std::optional<uint64_t> time, uint32_t warp,
                bool write);

 private:
  static constexpr size_t kEntries = 1 << 13;
  Entry& entry(const void* row, uint64_t block, uint32_t warp, bool write) {
    const uint64_t mix =
        (reinterpret_cast<uintptr_t>(row) >> 8) * 0x9E37'79B9'7F4A'7C15u +
        (block << 6 | warp << 1 | static_cast<uint64_t>(write)) * 0xD1B5'4A32'D192'ED03u;
    return entries_[mix >> 51];
  }
  std::vector<Entry> entries_;  ///< empty until something is noted
};

}  // namespace warpgrade::emulator
