// SPDX-License-Identifier: MIT
#include "emulator/checkers/watch.h"

#include <algorithm>
#include <cstring>

#include "emulator/checkers/async_copies.h"
#include "emulator/checkers/constant_data.h"
#include "emulator/checkers/race_rules.h"
#include "emulator/checkers/tell.h"
#include "emulator/checkers/texels.h"
#include "emulator/checkers/undefined.h"
#include "emulator/checkers/undefined_sources.h"
#include "emulator/checkers/word_access.h"
#include "emulator/exec/split_updates.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

/// Whether it loads a word to set a bit-field in it.
bool keeps_bits(const LaunchContext& launch, const Instruction& instruction) {
  const auto& members = launch.module->program.members;
  const auto found = members.find(instruction.pc);
  return found != members.end() && found->second == MemberAccess::bits;
}

/// One lane's access to all of its words.
class LaneAccess {
 public:
  LaneAccess(Warp& warp, const Instruction& instruction, int lane, const WatchedPlace& place,
             unsigned bytes, bool write)
      : warp_(warp),
        instruction_(instruction),
        watch_(*warp.worker->launch->watch),
        block_(*warp.block->watch),
        place_(place),
        begin_(place.address),
        end_(place.address + bytes),
        shared_(place.allocation == nullptr),
        me_{block_.clock, shared_ ? watch_.shared : watch_.global, watch_.loads_over,
            warp.index * kWarpSize + static_cast<uint32_t>(lane)} {
    const unsigned ordering = instruction.ordering;
    const bool strong = (ordering & kStrong) != 0;
    me_.act =
        write ? (strong ? Act::strong_write : Act::write) : (strong ? Act::strong_read : Act::read);
    me_.shared = shared_;
    me_.in_block = (ordering & kInBlock) != 0;
    me_.is_volatile = strong && (ordering & kAtomic) == 0;
    me_.is_data = me_.act == Act::strong_read && !shared_ &&
                  warp.worker->launch->module->program.data_loads.contains(instruction.pc);
    me_.observes = (ordering & kAtomic) != 0 && instruction.d != kNoRegister;
    me_.by_warp = (ordering & kByWholeWarp) != 0;
    me_.copying = write && !strong && (ordering & kCopies) != 0;
    atomic_ = write && (ordering & kAtomic) != 0;
    leaves_ = leaves_memory();
    reads_ = !write || (atomic_ && (ordering & kReadsNothing) == 0);
  }

  /// A texture's or surface's element: `bytes` are all of it.
  void is_of_texel() { is_texel_ = true; }

  void perform(unsigned elements, const uint8_t* stored) {
    element_bytes_ = bytes_of_element(elements);
    if (watch_.init && reads_) check_written(elements);
    if (watch_.race && !shared_) constant_ = check_constant();
    const bool follows = watch_.race && is_followed(block_.clock, me_.layout);
    const bool keeps = follows && keeps_read();
    if (keeps && has(kIsPart)) meet();
    if (watch_.race) synchronise_before();
    if (keeps) keep_read();
    if (watch_.race && !leaves_) me_.clock.note_accesses(warp_.index, lane_bit());
    if (me_.copying) note_copy();
    for (uint64_t word = begin_ & ~uint64_t{3}; word < end_; word += 4)
      access_word(word, stored, follows);
    if (watch_.race) synchronise_after();
    if (stored != nullptr) std::memcpy(place_.host, stored, end_ - begin_);
  }

 private:
  Cell& cell_at(uint64_t word) const {
    if (shared_) return block_.shared[word / 4];
    // The first word may begin before an allocation that is not aligned to it.
    return *place_.allocation->cell(std::max(word, place_.allocation->begin));
  }

  /// The widest elements that arrays have are of 8 bytes; a wider access does not say what it moves.
  unsigned bytes_of_element(unsigned elements) const {
    const uint64_t bytes = (end_ - begin_) / elements;
    return bytes > 8 ? 4 : static_cast<unsigned>(bytes);
  }
  /// Where the element begins that the word is, or begins, a part of.
  uint64_t element_at(uint64_t word) const {
    const uint64_t address = std::max(word, begin_);
    return address - (address - begin_) % element_bytes_;
  }

  void access_word(uint64_t word, const uint8_t* stored, bool follows) {
    Cell& cell = cell_at(word);
    const PageLock lock(watch_, &cell, watch_.locks && !shared_);
    const auto bytes = static_cast<unsigned>(bytes_of_word(word, begin_, end_));
    if (follows) {
      me_.same_value = stored != nullptr && is_same(word, stored);
      const Outcome met = me_.writes() ? go_on(&cell) : Outcome{0, Conflict::none};
      const Cell before = cell;
      Outcome outcome = WordAccess(watch_, block_, me_, cell).perform(bytes);
      if (me_.is_volatile && !shared_) note_order_of_loads(before);
      if (outcome.conflict == Conflict::none && met.conflict != Conflict::none) outcome = met;
      if (outcome.conflict != Conflict::none && !constant_)
        tell_race(warp_, instruction_, place_, element_at(word), element_bytes_, me_, outcome,
                  &cell);
      if ((cell ^ before) > kWrittenBits)
        warp_.worker->access_log.note(AccessLog::row_of(&cell), AccessLog::bit_of(&cell),
                                      me_.clock.block(), me_.clock.time(), warp_.index,
                                      me_.writes(), instruction_.pc);
    }
    if (me_.writes()) cell |= bytes;
  }

  void note_order_of_loads(Cell before) {
    const LoadsOver::Actor me{me_.clock.block(), me_.clock.time(), me_.thread};
    if (me_.writes()) return watch_.loads_over.note_store(me, me_.clock.floor());
    const bool stored = me_.layout.is_of_launch(before) && kind_of(before) > Kind::written;
    const uint64_t by = me_.layout.block(before);
    if (stored && by != me.block) watch_.loads_over.note_load(me, by, me_.layout.time(before));
  }

  bool has(unsigned ordering) const { return (instruction_.ordering & ordering) != 0; }

  bool keeps_read() const {
    if (has(kIsPart) || has(kIsTurn)) return me_.act == Act::strong_read || leaves_;
    return me_.act == Act::strong_read && !has(kLooks);
  }
  template <class Visit>
  void for_cells(const Visit& visit) const {
    size_t index = 0;
    for (uint64_t word = begin_ & ~uint64_t{3}; word < end_; word += 4, ++index) {
      const Cell& cell = cell_at(word);
      const PageLock lock(watch_, &cell, watch_.locks && !shared_);
      visit(index, cell);
    }
  }
  /// Before the read acquires anything: nothing that it acquires orders the update as a whole.
  void meet() {
    for_cells([&](size_t index, const Cell& cell) {
      const bool meets = with_unordered_update(me_, cell) != Conflict::none;
      met_.at(index) = meets && !has(kLooks) ? cell : Cell{0};
    });
  }
  void keep_read() {
    for_cells([&](size_t index, const Cell& cell) {
      KeptReads::Read read{instruction_.pc, has(kLooks), has(kIsTurn)};
      if (has(kIsPart)) read.met = met_.at(index);
      read.by_itself = read.met != 0 && with_unordered_update(me_, read.met) == Conflict::none;
      if (read.by_itself) read.known = me_.clock.knowledge(me_.thread);
      block_.reads.note(&cell, me_.thread, read);
    });
  }
  /// An atomic that changes what it reads keeps what it met as well.
  void note_change(const Cell* cell) {
    KeptReads::Read read{instruction_.pc};
    if (with_unordered_update(me_, *cell) != Conflict::none) read.met = *cell;
    block_.reads.note(cell, me_.thread, read);
  }
  /// The conflict with what a read met that this write goes on from.
  Outcome with_met(const KeptReads::Read& read) const {
    if (read.met == 0) return {0, Conflict::none};
    const Conflict now = with_unordered_update(me_, read.met);
    if (now != Conflict::none) return {read.met, now};
    const bool knows_no_more = read.by_itself && read.known == me_.clock.knowledge(me_.thread);
    return {read.met, knows_no_more ? Conflict::with_owner : Conflict::none};
  }

  /// Says of this write what reads of its own thread it goes on from; returns its conflict with what one of them met. Where a
  /// write goes on from an atomic, that one is no better than a load: another may come between.
  Outcome go_on(const Cell* cell) {
    const SplitUpdate* const update = has(kIsMade) ? made_of() : nullptr;
    KeptReads& reads = block_.reads;
    Outcome met{0, Conflict::none};
    if ((me_.is_volatile || atomic_ || update != nullptr) && !reads.empty()) {
      const KeptReads::Origin origin = reads.origin(cell, me_.thread, update);
      me_.is_made = origin.made;
      me_.has_read = origin.made || (me_.is_volatile && origin.any);
      if (origin.made && atomic_) me_.same_value = leaves_value();
      if ((me_.has_read && has(kCounts)) || (origin.made && update->counts)) me_.same_value = false;
      if (!me_.same_value) met = with_met(origin.read);
      const bool swaps = atomic_ && !leaves_ && has(kSwaps) && !has(kReadsNothing);
      if (origin.made || me_.is_volatile || swaps)
        reads.forget(cell, me_.thread);
      else
        reads.pass(cell, me_.thread, !leaves_ && has(kReadsNothing));
    }
    if (atomic_ && has(kIsPart) && !leaves_ && !has(kSwaps)) note_change(cell);
    return met;
  }
  const SplitUpdate* made_of() const {
    return &warp_.worker->launch->module->program.split_updates.at(instruction_.pc);
  }
  /// Whether an atomic finds what it would put there. A compare-and-swap that finds something else loses it.
  bool leaves_value() const {
    const AtomicInHand& atomic = warp_.worker->atomic;
    if (atomic.keeps == nullptr || atomic.b == atomic.c) return leaves_;
    return std::memcmp(place_.host, atomic.c, end_ - begin_) == 0;
  }

  /// Whether the kernel reads as constants what it writes here, or the other way round.
  bool check_constant() {
    const bool reads = (instruction_.flags & Instruction::kConstantData) != 0 && !me_.writes();
    const bool lasts = reads && (instruction_.flags & Instruction::kLoads) != 0;
    const Allocation& allocation = *place_.allocation;
    uint16_t* const marks = lasts ? constant_marks(allocation) : allocation.shadow.constant_in;
    if (!reads && (marks == nullptr || !me_.writes())) return false;
    const auto launch = static_cast<uint16_t>(me_.layout.generation >> kGenerationShift);
    for (uint64_t word = begin_ & ~uint64_t{3}; word < end_; word += 4) {
      const Cell& cell = cell_at(word);
      const Cell* const first = allocation.shadow.cells;
      const bool both = reads ? was_written(cell) : marks[&cell - first] == launch;
      if (lasts && marks != nullptr) marks[&cell - first] = launch;
      if (!both || (!reads && (is_my_read(cell) || is_library_in_place(cell)))) continue;
      tell_constant(warp_, instruction_, place_, element_at(word), element_bytes_, me_, &cell);
      return true;
    }
    return false;
  }
  /// Whether no other thread has read: what a thread has read before it writes cannot be stale.
  bool is_my_read(Cell cell) const {
    return me_.layout.is_of_launch(cell) && kind_of(cell) == Kind::read_by_thread &&
           me_.layout.block(cell) == me_.clock.block() && me_.layout.thread(cell) == me_.thread;
  }
  /// A kernel of CUB's or Thrust's writes in place behind all reads, as thrust::unique does: none is
  /// stale, and who calls it has no part in how it reads.
  bool is_library_in_place(Cell cell) const {
    return warp_.worker->launch->entry->is_of_library && me_.layout.is_of_launch(cell) &&
           (cell & kWrites) == 0 && judge(me_, cell).conflict == Conflict::none;
  }
  bool was_written(Cell cell) const {
    const bool before = (flags_of(cell) & (kWarpWrote | kBlockWrote)) != 0;
    return me_.layout.is_of_launch(cell) && kind_of(cell) != Kind::split &&
           ((cell & kWrites) != 0 || before);
  }

  bool is_same(uint64_t word, const uint8_t* stored) const {
    const uint64_t from = std::max(word, begin_), to = std::min(word + 4, end_);
    return std::memcmp(place_.host + (from - begin_), stored + (from - begin_), to - from) == 0;
  }

  bool leaves_memory() const {
    const AtomicInHand& atomic = warp_.worker->atomic;
    return atomic.keeps != nullptr && atomic.keeps(place_.host, atomic.b, atomic.c);
  }

  bool any_written(uint64_t begin, uint64_t end) const {
    for (uint64_t word = begin & ~uint64_t{3}; word < end; word += 4) {
      if ((cell_at(word) & bytes_of_word(word, begin, end)) != 0) return true;
    }
    return false;
  }

  void check_written(unsigned elements) {
    if (!shared_ && place_.allocation->shadow.initialised) return;
    const uint64_t size = (end_ - begin_) / elements;
    for (unsigned element = 0; element < elements; ++element) {
      const uint64_t at = begin_ + element * size;
      if (any_written(at, at + size)) continue;
      if ((instruction_.moved >> element & 1) != 0 && is_padding(size)) continue;
      if (keeps_bits(*warp_.worker->launch, instruction_)) continue;
      const auto bytes = static_cast<unsigned>(size);
      const int lane = static_cast<int>(me_.thread % kWarpSize);
      if (is_texel_ ? follow_unwritten_texel(warp_, instruction_, lane, place_, bytes)
                    : follow_unwritten(warp_, instruction_, lane, element, place_, at, bytes))
        continue;
      tell_unwritten(warp_, instruction_, place_, at, bytes, me_.thread);
      return;
    }
  }

  /// Structures are loaded whole, in vectors or byte by byte, with the padding between their
  /// members and with members that no result asks for.
  bool is_padding(uint64_t size) const {
    if (any_written(begin_, end_)) return true;
    if (size > 1) return false;
    constexpr uint64_t kWidestMember = 16;
    const uint64_t begin = begin_ / kWidestMember * kWidestMember, end = begin + kWidestMember;
    if (shared_) return any_written(begin, std::min<uint64_t>(end, block_.shared.size() * 4));
    const Allocation& allocation = *place_.allocation;
    return any_written(std::max(begin, allocation.begin), std::min(end, allocation.end()));
  }

  uint32_t lane_bit() const { return 1u << (me_.thread % kWarpSize); }

  void note_copy() {
    CopyGroups& groups = block_.copies[me_.thread];
    if (groups.empty()) groups.emplace_back();
    groups.back().push_back({begin_, static_cast<uint32_t>(end_ - begin_), instruction_.pc});
  }

  void synchronise_before() {
    // cp.async.mbarrier.arrive: the mbarrier waits for the copies.
    if (strong_copy()) complete_copies(warp_, me_.thread, 0, true);
    const bool gets =
        (instruction_.ordering & kAcquires) != 0 && (me_.act == Act::strong_read || me_.observes);
    const bool by_fence = watch_.fences && (instruction_.ordering & kRelaxed) != 0;
    if (gets) me_.clock.acquire(begin_, shared_, warp_.index, lane_bit(), by_fence);
  }
  void synchronise_after() {
    if (me_.act == Act::strong_write)
      me_.clock.release(begin_, shared_, warp_.index, lane_bit(),
                        (instruction_.ordering & kReleases) != 0, me_.in_block);
  }

  bool strong_copy() const {
    return (instruction_.ordering & (kCopies | kStrong)) == (kCopies | kStrong);
  }

  Warp& warp_;
  const Instruction& instruction_;
  LaunchWatch& watch_;
  BlockWatch& block_;
  const WatchedPlace& place_;
  const uint64_t begin_, end_;
  const bool shared_;
  Accessor me_;
  std::array<Cell, 9> met_{};  ///< by each word of a read: KeptReads::Read::met
  unsigned element_bytes_ = 1;
  bool atomic_ = false, reads_ = false, leaves_ = false, constant_ = false, is_texel_ = false;
};

}  // namespace

void watch_lane(Warp& warp, const Instruction& instruction, int lane, const WatchedPlace& place,
                unsigned bytes, unsigned elements, bool write, const uint8_t* stored) {
  if (place.allocation != nullptr && place.allocation->shadow.cells == nullptr) return;
  if (write && place.allocation != nullptr)
    note_writer(*place.allocation, place.address, bytes, warp.worker->launch->watch->writer);
  LaneAccess(warp, instruction, lane, place, bytes, write).perform(elements, stored);
}

void watch_texels(Warp& warp, const Instruction& instruction, int lane,
                  const Allocation& allocation, uint64_t address, unsigned bytes,
                  const uint8_t* stored) {
  if (allocation.shadow.cells == nullptr) return;
  if (stored != nullptr)
    note_writer(allocation, address, bytes, warp.worker->launch->watch->writer);
  const WatchedPlace place{&allocation, address, allocation.at(address)};
  LaneAccess access(warp, instruction, lane, place, bytes, stored != nullptr);
  access.is_of_texel();
  access.perform(1, stored);
}

void watch_local(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                 unsigned bytes, bool write) {
  bool any = false;
  for (uint64_t word = offset & ~uint64_t{3}; word < offset + bytes; word += 4) {
    const size_t at = word / 4 * kWarpSize + static_cast<unsigned>(lane);
    if (at >= warp.local_written.size()) return;
    const auto bits = static_cast<uint8_t>(bytes_of_word(word, offset, offset + bytes));
    any |= (warp.local_written[at] & bits) != 0;
    if (write) warp.local_written[at] |= bits;
  }
  if (write || any || keeps_bits(*warp.worker->launch, instruction)) return;
  if (!follow_unwritten_local(warp, instruction, lane, offset, bytes))
    tell_unwritten_local(warp, instruction, bytes,
                         warp.index * kWarpSize + static_cast<uint32_t>(lane));
}

void forget_local(Warp& warp, uint32_t lanes, size_t first, size_t words) {
  if (warp.undefined != nullptr) warp.undefined->forget_local(lanes, first);
  warp.local_written.resize(std::max(warp.local_written.size(), (first + words) * kWarpSize));
  for (size_t word = first; word < first + words; ++word) {
    uint8_t* const row = warp.local_written.data() + word * kWarpSize;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if ((lanes >> lane & 1) != 0) row[lane] = 0;
    }
  }
}

}  // namespace warpgrade::emulator
