// SPDX-License-Identifier: MIT
// DeviceMemory: which bytes were ever written, as the cells beside them say.
#include <algorithm>
#include <mutex>

#include "emulator/memory/device_memory.h"

namespace warpgrade::emulator {
namespace {

// Shorter ranges are cheaper to read than to ask about.
constexpr size_t kAskFromBytes = size_t{64} << 10;

/// Calls visit(first, end) for each run of cells that may be other than zero; reads no other.
template <class Visit>
void for_touched_cells(Cell* first, Cell* const end, Visit visit) {
  if (static_cast<size_t>(end - first) * sizeof(Cell) < kAskFromBytes) return visit(first, end);
  while (first != end) {
    const PageRun run = page_run(reinterpret_cast<const uint8_t*>(first),
                                 static_cast<size_t>(end - first) * sizeof(Cell));
    Cell* const next = first + run.bytes / sizeof(Cell);
    if (run.touched) visit(first, next);
    first = next;
  }
}

/// Takes the marks of written bytes from [address, end); both lie in the allocation.
void unmark(const Allocation& allocation, uint64_t address, uint64_t end) {
  const uint64_t first_word = address & ~uint64_t{3};
  Cell* const first = allocation.cell(address);
  Cell* const last = allocation.cell(end - 1) + 1;
  for_touched_cells(first, last, [&](Cell* cell, Cell* const until) {
    for (; cell != until; ++cell) {
      const uint64_t word = first_word + static_cast<uint64_t>(cell - first) * 4;
      *cell &= ~bytes_of_word(word, address, end);
    }
  });
}

void copy_marks(const Allocation& target, uint64_t to, const Allocation& source, uint64_t from,
                size_t bytes) {
  for (size_t done = 0; done < bytes; ++done) {
    const bool written = (*source.cell(from + done) >> ((from + done) & 3) & 1) != 0;
    const Cell bit = Cell{1} << ((to + done) & 3);
    Cell& cell = *target.cell(to + done);
    cell = written ? cell | bit : cell & ~bit;
  }
}

}  // namespace

void DeviceMemory::note_written(uint64_t address, size_t bytes) {
  const std::unique_lock lock(mutex_);
  Allocation* const allocation = find_live(address);
  if (allocation == nullptr || allocation->shadow.cells == nullptr || bytes == 0 ||
      allocation->shadow.initialised || !allocation->contains(address, bytes))
    return;
  if (bytes == allocation->size) {
    allocation->shadow.initialised = true;
    return;
  }
  Cell* cell = allocation->cell(address);
  for (uint64_t word = address & ~uint64_t{3}; word < address + bytes; word += 4, ++cell)
    *cell |= bytes_of_word(word, address, address + bytes);
}

void DeviceMemory::note_copied(uint64_t to, uint64_t from, size_t bytes) {
  copy_origins(to, from, bytes);
  const Allocation *target = find(to), *source = find(from);
  const bool unknown = source != nullptr && source->shadow.cells != nullptr &&
                       !source->shadow.initialised && source->contains(from, bytes);
  if (!unknown || target == nullptr) return note_written(to, bytes);
  const std::unique_lock lock(mutex_);
  if (target->shadow.cells == nullptr || target->shadow.initialised || bytes == 0 ||
      !target->contains(to, bytes))
    return;
  if (bytes < kAskFromBytes || target == source)
    return copy_marks(*target, to, *source, from, bytes);
  Cell* const first = source->cell(from);
  uint64_t done = from;
  for_touched_cells(first, source->cell(from + bytes - 1) + 1, [&](Cell* cell, Cell* const until) {
    const auto word_at = [&](const Cell* which) {
      return (from & ~uint64_t{3}) + static_cast<uint64_t>(which - first) * 4;
    };
    const uint64_t begin = std::max(from, word_at(cell));
    const uint64_t end = std::min(from + bytes, word_at(until));
    if (done < begin) unmark(*target, to + (done - from), to + (begin - from));
    copy_marks(*target, to + (begin - from), *source, begin, end - begin);
    done = end;
  });
  if (done < from + bytes) unmark(*target, to + (done - from), to + bytes);
}

void DeviceMemory::note_fresh(uint64_t address, size_t bytes) const {
  const Allocation* const allocation = find(address);
  if (allocation == nullptr || allocation->shadow.cells == nullptr || bytes == 0) return;
  std::fill(allocation->cell(address), allocation->cell(address + bytes - 1) + 1, Cell{0});
  if (allocation->shadow.origins != nullptr)
    clear_touched(allocation->shadow.origins + (address - allocation->begin), bytes);
}

uint64_t DeviceMemory::next_generation() {
  if (++generation_ < kGenerations) return generation_;
  const std::unique_lock lock(mutex_);
  for (Allocation& allocation : live_) {
    if (allocation.shadow.cells == nullptr) continue;
    release_constant_marks(allocation.shadow);
    allocation.shadow.constant_in = nullptr;
    Cell* const cells = allocation.shadow.cells;
    for_touched_cells(cells, cells + allocation.shadow.count, [](Cell* cell, Cell* const end) {
      for (; cell != end; ++cell) {
        if (*cell > kWrittenBits) *cell &= kWrittenBits;
      }
    });
  }
  return generation_ = 1;
}

}  // namespace warpgrade::emulator
