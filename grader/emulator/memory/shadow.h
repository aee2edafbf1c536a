// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/memory/address_space.h"
#include "emulator/memory/origins.h"

namespace warpgrade::emulator {

/// What the checkers know of four bytes of memory: its lowest four bits say which of the bytes
/// were ever written, the others belong to checkers/cell.h. Zero: nothing.
using Cell = uint64_t;

constexpr Cell kWrittenBits = 0xF;

/// Cells beside one allocation, one for each four bytes of its address range. They lie in an arena.
/// Plain data: who makes it frees it.
struct Shadow {
  Cell* cells = nullptr;  ///< The cell of the word that holds the first byte; null: not watched.
  size_t count = 0;
  bool initialised = false;  ///< All bytes count as written, whatever the cells say.
  /// What last wrote each byte; null where the host can write unseen, or nothing is watched.
  OriginId* origins = nullptr;
  /// What wrote the bytes whose own number is 0: so that filling all of an allocation touches none of its pages.
  OriginId base_origin = 0;
  /// For each cell, the launch that last read it as data that no kernel writes; null: none has yet.
  uint16_t* constant_in = nullptr;
};

/// Cells of the words that hold [begin, begin + bytes).
constexpr size_t cells_for(uint64_t begin, size_t bytes) {
  return (begin + bytes + 3) / 4 - begin / 4;
}

/// Makes `constant_in`, unless another thread has done so; null where the host has no room.
uint16_t* make_constant_marks(Shadow& shadow);
void release_constant_marks(const Shadow& shadow);

/// Bits of the word's bytes that lie in [begin, end); the word starts at `word`.
constexpr Cell bytes_of_word(uint64_t word, uint64_t begin, uint64_t end) {
  Cell bits = kWrittenBits;
  if (begin > word) bits &= kWrittenBits << (begin - word);
  if (end < word + 4) bits &= kWrittenBits >> (word + 4 - end);
  return bits;
}

}  // namespace warpgrade::emulator
