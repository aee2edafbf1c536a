// SPDX-License-Identifier: MIT
#include "emulator/checkers/word_access.h"

#include <bit>
#include <cstddef>
#include <mutex>

namespace warpgrade::emulator {
namespace {

constexpr size_t kMostSplitWords = 1 << 16;

/// The four bytes of a word as cells of their own; none where the word's cell says nothing.
std::array<Cell, 4> split_up(const CellLayout& layout, Cell cell) {
  std::array<Cell, 4> parts{};
  if (!layout.is_of_launch(cell)) return parts;
  const unsigned bytes = bytes_of(cell);
  const bool pairs = bytes == kOwnerPerByte, each = bytes > kOwnerPerByte;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if (!pairs && (bytes >> byte & 1) == 0) continue;
    const uint32_t further = pairs ? byte / 2 : each ? byte : 0;
    parts[byte] = cell + (Cell{further} << kThreadShift);
  }
  return parts;
}

constexpr Cell kOwnerShape = ~(kBytesBits | kWrittenBits);

/// The bytes code of one cell that says the same as the parts, or -1. `first` is its owner.
int joined_bytes(const std::array<Cell, 4>& parts, Cell& first) {
  unsigned mask = 0;
  bool one = true, each = true, pairs = true;
  for (unsigned byte = 0; byte < 4; ++byte) {
    if (parts[byte] == 0) continue;
    const Cell owner = parts[byte] & kOwnerShape;
    if (mask == 0) first = owner - (Cell{byte} << kThreadShift);
    mask |= 1u << byte;
    each &= owner == first + (Cell{byte} << kThreadShift);
    one &= owner == first + (Cell{static_cast<unsigned>(std::countr_zero(mask))} << kThreadShift);
    pairs &= owner == (parts[0] & kOwnerShape) + (Cell{byte / 2} << kThreadShift);
  }
  if (mask == 0) return -1;
  const auto lowest = static_cast<unsigned>(std::countr_zero(mask));
  if (one) {
    first += Cell{lowest} << kThreadShift;
    return static_cast<int>(mask);
  }
  if (pairs && mask == kAllBytes) {
    first = parts[0] & kOwnerShape;
    return kOwnerPerByte;
  }
  return each ? static_cast<int>(kOwnerPerByte | mask) : -1;
}

}  // namespace

Outcome WordAccess::perform_by_byte(unsigned bytes) {
  std::unique_lock<std::mutex> lock(watch_.split_mutex, std::defer_lock);
  if (!me_.shared && watch_.locks) lock.lock();
  SplitWords& words = me_.shared ? block_.split : watch_.split;
  std::array<Cell, 4> parts = parts_of(words);
  Outcome worst{0, Conflict::none};
  for (unsigned byte = 0; byte < 4; ++byte) {
    if ((bytes >> byte & 1) == 0) continue;
    const Outcome outcome = judge(me_, parts[byte]);
    if (worst.conflict == Conflict::none && outcome.conflict != Conflict::none)
      worst = {parts[byte], outcome.conflict};
    parts[byte] = outcome.next;
  }
  join(words, parts);
  return worst;
}

std::array<Cell, 4> WordAccess::parts_of(SplitWords& words) const {
  if (kind_of(cell_) != Kind::split) return split_up(me_.layout, cell_);
  const auto found = words.find(&cell_);
  return found == words.end() ? std::array<Cell, 4>{} : found->second;
}

void WordAccess::join(SplitWords& words, const std::array<Cell, 4>& parts) {
  const Cell written = cell_ & kWrittenBits;
  Cell owner = 0;
  const int bytes = joined_bytes(parts, owner);
  if (kind_of(cell_) == Kind::split && bytes >= 0) words.erase(&cell_);
  if (bytes >= 0) {
    cell_ = owner | static_cast<Cell>(bytes) << kBytesShift | written;
    return;
  }
  if (words.size() >= kMostSplitWords && !words.contains(&cell_)) {
    cell_ = written;
    return;
  }
  words[&cell_] = parts;
  const Cell nobody = ~Cell{0} >> (64 - kGenerationShift) & ~((Cell{1} << kThreadShift) - 1);
  cell_ = me_.layout.generation | nobody | static_cast<Cell>(Kind::split) << kKindShift | written;
}

}  // namespace warpgrade::emulator
