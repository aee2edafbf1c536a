// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "emulator/checkers/page_locks.h"
#include "emulator/exec/ops/warp_access.h"

namespace warpgrade::emulator::WARPGRADE_ISA {

constexpr size_t kMostCells = kWarpSize * kMaxLaneBytes / sizeof(uint32_t);
constexpr Cell kReadThenWritten = static_cast<Cell>(Kind::read_by_thread) << kKindShift ^
                                  static_cast<Cell>(Kind::written) << kKindShift;

/// All ones where it holds: the loops below work on masks, so that they become SIMD code.
inline Cell where(bool holds) { return Cell{0} - static_cast<Cell>(holds); }
inline Cell choose(Cell mask, Cell yes, Cell no) { return (yes & mask) | (no & ~mask); }
constexpr Cell of_kind(Kind kind) { return static_cast<Cell>(kind) << kKindShift; }

/// The cells of a warp's access, all at once where none needs a thought; the lanes that are left go one by one.
class FastCells {
 public:
  explicit FastCells(const WarpAccess& access)
      : access_(access),
        watch_(*access.warp.worker->launch->watch),
        clock_(access.warp.block->watch->clock),
        shared_(access.allocation == nullptr),
        layout_(shared_ ? watch_.shared : watch_.global) {}

  /// Whether cells can hold what the access would leave in them.
  bool applies() const {
    const bool packed = access_.memo.shape == AccessShape::contiguous &&
                        access_.memo.mask == kFullMask && (access_.base & 3) == 0;
    return is_followed(clock_, layout_) && access_.instruction.ordering == 0 &&
           (access_.bytes >= 4 || packed);
  }

  void run() {
    clock_.note_accesses(access_.warp.index, access_.memo.mask);
    prepare();
    load();
    // Where their number is a constant, the loops over cells need not ask for it.
    if (count_ == 1) return run_with(std::integral_constant<size_t, 1>());
    if (count_ == kWarpSize) return run_with(std::integral_constant<size_t, kWarpSize>());
    run_with(count_);
  }

 private:
  template <class Count>
  void run_with(Count count) {
    if (!access_.write && is_settled(count)) return;
    fill_owners();
    if (!changes(count)) return;
    uint32_t left = 0;
    {
      PageLocks locks(watch_);
      if (watch_.locks && !shared_) {
        lock(locks);
        load();
      }
      if (access_.write ? plan_write(count) : plan_read(count)) left = lanes_left();
      store(left);
    }
    if (left != 0) access_.each_lane(left);
  }

  void lock(PageLocks& locks) const {
    const auto add = [&](const Cell* first, size_t count) {
      locks.add(first);
      locks.add(first + count - 1);
    };
    if (in_place_)
      add(first_, count_);
    else
      for_each_lane(access_.memo.mask, [&](int lane) {
        add(access_.lane_cell(lane), std::max(access_.bytes / 4, 1u));
      });
    locks.lock();
  }

  void prepare() {
    const uint64_t block = shared_ ? 0 : clock_.block();
    const Cell begin = layout_.owner(block, 0, 0);
    const unsigned shift = layout_.time_shift;
    const uint64_t floor = clock_.floor();
    block_begin_ = begin;
    block_end_ = begin + ((layout_.last_time() + 1) << shift);
    floor_ = begin + (floor << shift);
    warp_floor_ =
        begin + (std::max(floor, clock_.warp_floor(access_.warp.index * kWarpSize)) << shift);
    now_ = begin + (clock_.time() << shift);
    written_ = !shared_ && access_.allocation->shadow.initialised ? kWrittenBits : 0;
    const unsigned bytes_code = access_.bytes >= 4   ? kAllBytes
                                : access_.bytes == 2 ? kOwnerPerByte
                                                     : kOwnerPerByte | kAllBytes;
    shape_ = Cell{bytes_code} << kBytesShift;
    by_block_ = now_ | shape_ | kWrittenBits | of_kind(Kind::read_by_block);
    const bool grid = !shared_ && !watch_.happens_before.used();
    // No cell looks like the other one.
    by_grid_ =
        grid ? layout_.generation | shape_ | of_kind(Kind::read_by_grid) | kWrittenBits : ~Cell{0};
    const AccessMemo& memo = access_.memo;
    uniform_ = memo.shape == AccessShape::uniform;
    in_place_ = uniform_ || (memo.shape == AccessShape::contiguous && memo.mask == kFullMask);
  }

  void load() {
    const AccessMemo& memo = access_.memo;
    const unsigned words = std::max(access_.bytes / 4, 1u);
    words_shift_ = static_cast<unsigned>(std::countr_zero(words));
    if (in_place_) {
      first_ = access_.cell(access_.base);
      count_ = uniform_ ? words : access_.bytes * kWarpSize / 4;
      std::memcpy(cells_, first_, count_ * sizeof(Cell));
      return;
    }
    count_ = words * kWarpSize;
    first_ = access_.cell(access_.base);
    const auto lead = static_cast<size_t>(first_lane(memo.mask));
    if (words == 1) {
      for (size_t lane = 0; lane < kWarpSize; ++lane)
        cells_[lane] = *cell_of((memo.mask >> lane & 1) != 0 ? lane : lead);
      return;
    }
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
      const Cell* const cell = cell_of((memo.mask >> lane & 1) != 0 ? lane : lead);
      for (unsigned word = 0; word < words; ++word) cells_[lane * words + word] = cell[word];
    }
  }

  /// The cell of the lane's first word, in a scattered access.
  Cell* cell_of(size_t lane) const {
    return first_ + ((access_.memo.relative[lane] + static_cast<int64_t>(access_.base & 3)) >> 2);
  }

  /// Whether several warps or blocks have read every cell, in which case one more changes nothing.
  template <class Count>
  bool is_settled(Count count) const {
    const Cell threads = layout_.last_thread() << kThreadShift;
    const Cell by_block = by_block_, by_grid = by_grid_, written = written_;
    Cell others = 0;
    for (size_t k = 0; k < count; ++k) {
      const Cell cell = cells_[k] | written;
      others |= ~(where((cell & ~threads) == by_block) | where((cell & kGridBits) == by_grid));
    }
    return others == 0;
  }

  /// What each cell holds once only its own thread has read it at this time.
  void fill_owners() {
    const uint32_t first_thread = access_.warp.index * kWarpSize;
    const Cell base = now_ | shape_ | of_kind(Kind::read_by_thread) | kWrittenBits;
    if (uniform_) {
      const auto lead = static_cast<uint32_t>(first_lane(access_.memo.mask));
      const bool several = (access_.memo.mask & (access_.memo.mask - 1)) != 0;
      const Cell more = several && !access_.write ? kOneMoreReader : 0;
      for (size_t k = 0; k < count_; ++k)
        owners_[k] = (base | Cell{first_thread + lead} << kThreadShift) + more;
      return;
    }
    const Cell first = base | Cell{first_thread} << kThreadShift;
    if (access_.bytes < 4) {
      for (size_t k = 0; k < count_; ++k)
        owners_[k] = first + (static_cast<Cell>(k * 4 / access_.bytes) << kThreadShift);
      return;
    }
    const unsigned shift = words_shift_;
    for (size_t k = 0; k < count_; ++k)
      owners_[k] = first + (static_cast<Cell>(k >> shift) << kThreadShift);
    const uint32_t together = access_.write ? 0 : access_.memo.overlapping;
    if (together == 0) return;
    for (size_t k = 0; k < count_; ++k)
      owners_[k] += Cell{together >> (k >> shift) & 1} << kKindShift;
  }

  /// False where every cell says already what it would say afterwards.
  template <class Count>
  bool changes(Count count) const {
    Cell changed = 0;
    if (access_.write) {
      for (size_t k = 0; k < count; ++k) changed |= cells_[k] ^ owners_[k] ^ kReadThenWritten;
      return changed != 0;
    }
    const Cell threads = layout_.last_thread() << kThreadShift,
               lanes = threads & Cell{kWarpSize - 1} << kThreadShift;
    const Cell by_block = by_block_, by_grid = by_grid_, written = written_;
    const Cell by_warp = now_ | shape_ | kWrittenBits | of_kind(Kind::read_by_warp) |
                         (Cell{access_.warp.index * kWarpSize} << kThreadShift & ~lanes);
    for (size_t k = 0; k < count; ++k) {
      const Cell cell = cells_[k] | written, owner = owners_[k];
      const Cell lone = where((owner & kKindBits) == of_kind(Kind::read_by_thread));
      const Cell same = where(cell == owner) | (lone & where(cell == (owner ^ kReadThenWritten))) |
                        where((cell & ~threads) == by_block) | where((cell & ~lanes) == by_warp) |
                        where((cell & kGridBits) == by_grid);
      changed |= ~same;
    }
    return changed != 0;
  }

  /// Fills next_, and left_ where the rules must decide; true where they must somewhere.
  template <class Count>
  bool plan_read(Count count) {
    const Cell threads = layout_.last_thread() << kThreadShift;
    const Cell lanes = threads & Cell{kWarpSize - 1} << kThreadShift;
    const Cell times = layout_.last_time() << layout_.time_shift;
    const Cell owner_bits = ~(kKindBits | kFlagBits | kBytesBits | kWrittenBits | times);
    const Cell block_flag = shared_ ? 0 : Cell{kBlockWrote} << kFlagShift;
    const Cell special_flag = Cell{kSpecial} << kFlagShift;
    const Cell blocks_apart = where(!shared_ && !watch_.happens_before.used());
    const Cell whole_words = where(access_.bytes >= 4);
    const Cell generation = layout_.generation, begin = block_begin_, end = block_end_,
               floor = floor_, warp_floor = warp_floor_, written = written_, shape = shape_;
    Cell any = 0;
    for (size_t k = 0; k < count; ++k) {
      const Cell cell = cells_[k] | written, owner = owners_[k];
      const Cell kind = cell & kKindBits, flags = cell & kFlagBits;
      const Cell fresh = where(cell < generation);
      const Cell mine = where(cell >= begin) & where(cell < end);
      const Cell ordered =
          mine & where(cell < floor) & where((cell & (kNotOwnersAlone | special_flag)) == 0);
      const Cell own = mine & where(((cell ^ owner) & owner_bits) == 0);
      const Cell lone = where((owner & kKindBits) == of_kind(Kind::read_by_thread));
      const Cell own_write = own & lone & where(kind == of_kind(Kind::written)) &
                             where(cell >= warp_floor) & where(flags == 0);
      const Cell plain_read = whole_words & where((cell & kBytesBits) == shape) &
                              where(kind < of_kind(Kind::read_by_grid)) & where(kind != 0);
      const Cell in_block = mine & ~ordered & plain_read & where((flags & ~block_flag) == 0);
      const Cell in_grid = blocks_apart & ~fresh & ~mine & plain_read & where(flags == 0);
      const Cell in_warp = where(((cell ^ owner) & threads & ~lanes) == 0) &
                           where(kind < of_kind(Kind::read_by_block));
      const Cell wrote = where((cell & kWrites) != 0) | where(flags != 0);
      const Cell joined_kind =
          choose(own & where(kind == of_kind(Kind::read_by_thread)), owner & kKindBits,
                 choose(in_warp, of_kind(Kind::read_by_warp), of_kind(Kind::read_by_block)));
      const Cell alone = owner | (wrote & block_flag);
      const Cell joined = (owner & ~kKindBits) | joined_kind | (flags & block_flag);
      const Cell gridded = (cell & ~kKindBits) | of_kind(Kind::read_by_grid);
      next_[k] = choose(
          fresh, owner,
          choose(ordered, alone, choose(own_write, cell, choose(in_block, joined, gridded))));
      left_[k] = ~(where((cell & kWrittenBits) == kWrittenBits) &
                   (fresh | ordered | own_write | in_block | in_grid));
      any |= left_[k];
    }
    return any != 0;
  }

  template <class Count>
  bool plan_write(Count count) {
    const Cell times = layout_.last_time() << layout_.time_shift;
    const Cell owner_bits = ~(kKindBits | kFlagBits | kBytesBits | kWrittenBits | times);
    const Cell special_flag = Cell{kSpecial} << kFlagShift;
    const Cell generation = layout_.generation, begin = block_begin_, end = block_end_,
               floor = floor_, shape = shape_;
    Cell any = 0;
    for (size_t k = 0; k < count; ++k) {
      const Cell cell = cells_[k], owner = owners_[k];
      const Cell kind = cell & kKindBits;
      const Cell fresh = where(cell < generation);
      const Cell mine = where(cell >= begin) & where(cell < end);
      const Cell ordered = mine & where(cell < floor) & where((cell & kNotOwnersAlone) == 0);
      const Cell own =
          mine & where(((cell ^ owner) & owner_bits) == 0) & where((cell & kBytesBits) == shape) &
          where((cell & special_flag) == 0) &
          (where(kind == of_kind(Kind::read_by_thread)) | where(kind == of_kind(Kind::written)));
      next_[k] = owner ^ kReadThenWritten;
      left_[k] = ~(fresh | ordered | own);
      any |= left_[k];
    }
    return any != 0;
  }

  uint32_t lanes_left() const {
    if (uniform_) return access_.memo.mask;
    uint32_t lanes = 0;
    for (size_t k = 0; k < count_; ++k) {
      if (left_[k] == 0) continue;
      // All lanes whose bytes lie in the word.
      const size_t first = k * kWarpSize / count_,
                   last = std::max(first + 1, (k + 1) * kWarpSize / count_);
      for (size_t lane = first; lane < last; ++lane) lanes |= 1u << lane;
    }
    return lanes & access_.memo.mask;
  }

  /// Writes back what is planned for all lanes but these.
  void store(uint32_t left) {
    if (in_place_ && left == 0) {
      std::memcpy(first_, next_, count_ * sizeof(Cell));
    } else if (!in_place_ && access_.bytes == 4) {
      const uint32_t stored = access_.memo.mask & ~left;
      for (size_t lane = 0; lane < kWarpSize; ++lane) {
        if ((stored >> lane & 1) != 0) *cell_of(lane) = next_[lane];
      }
    } else if (!uniform_) {
      const unsigned words = std::max(access_.bytes / 4, 1u);
      for_each_lane(access_.memo.mask & ~left, [&](int lane) {
        if (access_.bytes < 4 && static_cast<unsigned>(lane) % (4 / access_.bytes) != 0) return;
        Cell* const cell = access_.lane_cell(lane);
        const size_t from = static_cast<size_t>(lane) * count_ / kWarpSize;
        for (unsigned word = 0; word < words; ++word) cell[word] = next_[from + word];
      });
    }
    if (left != access_.memo.mask) log();
  }

  void log() const {
    AccessLog& log = access_.warp.worker->access_log;
    const auto note = [&](const void* row, uint32_t cells) {
      log.note(row, cells, clock_.block(), clock_.time(), access_.warp.index, access_.write,
               access_.instruction.pc);
    };
    if (in_place_) {
      const Cell *const end = first_ + count_, *cell = first_;
      while (cell < end) {
        const uint32_t index = AccessLog::index_of(cell);
        const auto here =
            std::min<size_t>(AccessLog::kRow - index, static_cast<size_t>(end - cell));
        note(AccessLog::row_of(cell), ~0u >> (AccessLog::kRow - here) << index);
        cell += here;
      }
      return;
    }
    log_scattered(note);
  }

  /// Some rows must do: a finding may then lack a line.
  template <class Note>
  void log_scattered(Note note) const {
    constexpr int kRowsNoted = 6;
    const unsigned words = std::max(access_.bytes / 4, 1u);
    const void* row = nullptr;
    uint32_t cells = 0;
    int noted = 0;
    for (uint32_t mask = access_.memo.mask; mask != 0 && noted < kRowsNoted; mask &= mask - 1) {
      const Cell* const first = access_.lane_cell(first_lane(mask));
      for (const Cell* cell = first; cell < first + words; ++cell) {
        if (AccessLog::row_of(cell) != row) {
          if (cells != 0) note(row, cells), ++noted;
          row = AccessLog::row_of(cell);
          cells = 0;
        }
        cells |= AccessLog::bit_of(cell);
      }
    }
    if (cells != 0) note(row, cells);
  }

  static constexpr Cell kGridBits = ~Cell{0} << kGenerationShift | 0xFFFF;
  static constexpr Cell kOneMoreReader =
      of_kind(Kind::read_by_warp) - of_kind(Kind::read_by_thread);

  const WarpAccess& access_;
  LaunchWatch& watch_;
  BlockClock& clock_;
  const bool shared_;
  const CellLayout& layout_;
  Cell block_begin_, block_end_, floor_, warp_floor_, now_, written_, shape_, by_block_, by_grid_;
  bool in_place_, uniform_;
  Cell* first_ = nullptr;
  size_t count_ = 0;
  unsigned words_shift_ = 0;
  alignas(64) Cell cells_[kMostCells], owners_[kMostCells], next_[kMostCells], left_[kMostCells];
};

}  // namespace warpgrade::emulator::WARPGRADE_ISA
