// SPDX-License-Identifier: MIT
#include "emulator/checkers/race_rules.h"

namespace warpgrade::emulator {
namespace {

constexpr Cell kKeptBits = kWrittenBits | kBytesBits;

/// The rules for one accessor and one cell.
class Judge {
 public:
  Judge(const Accessor& me, Cell cell)
      : me_(me),
        cell_(cell),
        kind_(me.layout.is_of_launch(cell) ? kind_of(cell) : Kind::none),
        flags_(flags_of(cell)),
        block_(me.shared ? me.clock.block() : me.layout.block(cell)),
        time_(me.layout.time(cell)),
        thread_(me.layout.thread(cell)) {}

  Outcome outcome() {
    switch (me_.act) {
      case Act::read:
        return read();
      case Act::write:
        return write();
      case Act::strong_read:
        return strong_read();
      case Act::strong_write:
        return strong_write();
    }
    return keep();
  }

  Conflict with_unordered_update() const {
    if (kind_ < Kind::written_strongly) return Conflict::none;
    if (kind_ != Kind::written_strongly && unsure()) return Conflict::none;
    // The owner's block has met behind all of its own writes, but not behind other blocks'.
    const bool by_others = mine() && kind_ == Kind::written_strongly_by_grid;
    if (!by_others && ordered(writers())) return Conflict::none;
    return mine() ? Conflict::with_others : Conflict::with_owner;
  }

 private:
  Outcome keep(Conflict conflict = Conflict::none) const { return {cell_, conflict}; }
  Outcome become(Kind kind, unsigned flags = 0, Conflict conflict = Conflict::none) const {
    const uint64_t block = me_.shared ? 0 : me_.clock.block();
    const Cell owner = me_.layout.owner(block, me_.clock.time(), me_.thread);
    return {with_kind(owner, kind, flags, 0) | (cell_ & kKeptBits), conflict};
  }
  /// Another kind under the same owner.
  Outcome turn_into(Kind kind) const {
    return {(cell_ & ~(kKindBits | kFlagBits)) | static_cast<Cell>(kind) << kKindShift,
            Conflict::none};
  }

  bool my_block() const { return block_ == me_.clock.block(); }
  bool my_warp() const { return my_block() && thread_ / 32 == me_.thread / 32; }
  bool mine() const { return my_block() && thread_ == me_.thread; }
  bool before_floor() const { return my_block() && time_ < me_.clock.floor(); }
  /// Nobody in this warp has met since the owner's access.
  bool unmet() const { return !before_floor() && time_ >= me_.clock.warp_floor(me_.thread); }
  bool unsure() const { return me_.clock.knows_others(me_.thread); }

  bool ordered(EarlierAccess::By by) const {
    const bool together = me_.by_warp || (kind_ == Kind::written && (flags_ & kByWarp) != 0);
    if (together && my_warp() && by != EarlierAccess::By::block) return true;
    return me_.clock.is_ordered({block_, time_, thread_, by}, me_.thread);
  }
  bool ordered() const { return ordered(EarlierAccess::By::thread); }

  /// After a read or strong write that is ordered after the owner's write: who need not see it.
  unsigned flags_after_write() const {
    if (!my_block()) return 0;
    if (before_floor()) return me_.shared ? 0 : kBlockWrote;
    return my_warp() ? kWarpWrote : 0;
  }
  unsigned kept_flags() const {
    if (!my_block()) return 0;
    unsigned flags = flags_ & kBlockWrote;
    if ((flags_ & kWarpWrote) == 0) return flags;
    if (before_floor()) return me_.shared ? flags : flags | kBlockWrote;
    return my_warp() ? flags | kWarpWrote : flags;
  }
  /// With the write that the flags tell of, which the owner's access hides.
  Conflict with_earlier_write() const {
    if ((flags_ & (kWarpWrote | kBlockWrote)) == 0 || unsure()) return Conflict::none;
    if (!my_block()) return Conflict::with_earlier_write;
    const bool seen = before_floor() || my_warp() || (flags_ & kWarpWrote) == 0;
    return seen ? Conflict::none : Conflict::with_earlier_write;
  }

  Outcome read() const {
    switch (kind_) {
      case Kind::none:
      case Kind::read_strongly:
      case Kind::split:
        return become(Kind::read_by_thread);
      case Kind::read_by_thread:
      case Kind::read_by_warp:
      case Kind::read_by_block:
      case Kind::read_by_grid:
        return read_after_read();
      default:
        return read_after_write();
    }
  }

  Outcome read_after_read() const {
    const Conflict conflict = with_earlier_write();
    if (conflict != Conflict::none) return become(Kind::read_by_thread, 0, conflict);
    if (ordered(readers())) return become(Kind::read_by_thread, kept_flags());
    if (kind_ == Kind::read_by_grid) return keep();
    if (!my_block()) return turn_into(Kind::read_by_grid);
    if (my_warp() && kind_ != Kind::read_by_block) return become(Kind::read_by_warp, kept_flags());
    return become(Kind::read_by_block, kept_flags());
  }

  Outcome read_after_write() const {
    if (kind_ == Kind::written && (flags_ & kSpecial) != 0) return keep(Conflict::with_copy);
    const Conflict conflict = with_write();
    if (conflict != Conflict::none) return become(Kind::read_by_thread, 0, conflict);
    if (mine() && unmet()) return keep();
    return become(Kind::read_by_thread, flags_after_write());
  }

  /// Judges a plain access against the write in the cell.
  Conflict with_write() const {
    switch (kind_) {
      case Kind::written_strongly_by_warp:
      case Kind::written_strongly_by_block:
        return ordered(writers()) || unsure() ? Conflict::none
               : mine()                       ? Conflict::with_others
                                              : Conflict::with_owner;
      case Kind::written_strongly_by_grid:
        if (!ordered()) return Conflict::with_owner;
        return unsure() ? Conflict::none : Conflict::with_others;
      default:
        return ordered() ? Conflict::none : Conflict::with_owner;
    }
  }

  EarlierAccess::By readers() const {
    return kind_ == Kind::read_by_warp    ? EarlierAccess::By::warp
           : kind_ == Kind::read_by_block ? EarlierAccess::By::block
                                          : EarlierAccess::By::thread;
  }

  EarlierAccess::By writers() const {
    return kind_ == Kind::written_strongly_by_warp    ? EarlierAccess::By::warp
           : kind_ == Kind::written_strongly_by_block ? EarlierAccess::By::block
                                                      : EarlierAccess::By::thread;
  }

  /// The reads are of another block, and over.
  bool are_over() const {
    return !my_block() && me_.loads_over.has_ended(
                              {block_, time_, thread_, readers()},
                              {me_.clock.block(), me_.clock.time(), me_.thread}, me_.clock.floor());
  }

  /// Judges a write of any sort against the reads in the cell.
  Conflict with_reads() const {
    const bool known = ordered(readers());
    const bool over = !known && are_over();
    const bool all = known || over;
    if (kind_ == Kind::read_by_grid)
      return !all               ? Conflict::with_owner
             : over || unsure() ? Conflict::none
                                : Conflict::with_others;
    if (all) return Conflict::none;
    const bool in_warp = my_warp() && kind_ != Kind::read_by_block;
    if (in_warp && time_ < me_.clock.exchanged(me_.thread)) return Conflict::none;
    if (kind_ == Kind::read_by_thread) return Conflict::with_owner;
    if (unsure()) return Conflict::none;
    return mine() ? Conflict::with_others : Conflict::with_owner;
  }

  Outcome write() const {
    const unsigned flags = (me_.by_warp ? kByWarp : 0) | (me_.copying ? kSpecial : 0);
    switch (kind_) {
      case Kind::none:
      case Kind::split:
        return become(Kind::written, flags);
      case Kind::read_by_thread:
      case Kind::read_by_warp:
      case Kind::read_by_block:
      case Kind::read_by_grid:
        return become(Kind::written, flags, with_reads());
      case Kind::read_strongly:
        return become(Kind::written, flags, ordered() ? Conflict::none : Conflict::with_owner);
      default:
        return become(Kind::written, flags, me_.same_value ? Conflict::none : with_write());
    }
  }

  Outcome strong_read() const {
    switch (kind_) {
      case Kind::none:
        return become(Kind::read_strongly);
      case Kind::written:
        return keep(ordered() ? Conflict::none : Conflict::with_owner);
      case Kind::written_strongly:
      case Kind::written_strongly_by_warp:
      case Kind::written_strongly_by_block:
        return keep(volatile_in_warp() || may_be_old() ? Conflict::with_owner : Conflict::none);
      default:
        return keep();
    }
  }

  /// Volatile accesses tell warps about each other's progress, but do not put the lanes of a warp
  /// in step.
  bool volatile_in_warp() const {
    return me_.shared && me_.is_volatile && (flags_ & kSpecial) != 0 && my_warp() && !mine() &&
           !ordered();
  }

  /// Another block's store, which nothing orders before this load, nor would a fence of the loading thread. What threads
  /// keep changing by atomics is never the last value.
  bool may_be_old() const {
    if (!me_.is_data || me_.shared || my_block()) return false;
    const bool is_sure = kind_ == Kind::written_strongly || !unsure();
    return is_sure && me_.loads_over.has_stored(block_, time_) &&
           !me_.clock.would_be_ordered({block_, time_, thread_, writers()}, me_.thread);
  }

  /// Another thread's store, of which nothing says that it comes before the load that this store goes on from.
  bool loses_update() const {
    const bool is_sure = kind_ == Kind::written_strongly || !unsure();
    return me_.has_read && !me_.same_value && !mine() && is_sure && !ordered(writers());
  }

  Outcome strong_write() const {
    const unsigned special = (me_.shared ? me_.is_volatile : me_.in_block) ? kSpecial : 0;
    switch (kind_) {
      case Kind::none:
      case Kind::split:
      case Kind::read_strongly:
        return become(Kind::written_strongly, special);
      case Kind::read_by_thread:
      case Kind::read_by_warp:
      case Kind::read_by_block:
      case Kind::read_by_grid:
        return become(Kind::written_strongly, special | kept_flags(), with_reads());
      case Kind::written: {
        // As long as no threads have met, what others must not do is told by the plain write.
        if (mine() && unmet()) return keep();
        const bool fine = ordered() || (me_.is_volatile && me_.same_value);
        return become(Kind::written_strongly, special | flags_after_write(),
                      fine ? Conflict::none : Conflict::with_owner);
      }
      default:
        return strong_write_after_strong_write(special);
    }
  }

  Outcome strong_write_after_strong_write(unsigned special) const {
    Conflict conflict = with_earlier_write();
    const bool narrow = !me_.shared && !my_block() && (me_.in_block || (flags_ & kSpecial) != 0);
    if (narrow && !ordered()) conflict = Conflict::with_owner;
    if (volatile_in_warp() && !me_.same_value) conflict = Conflict::with_owner;
    if (loses_update()) conflict = Conflict::with_owner;
    if (!me_.shared && my_block()) special |= flags_ & kSpecial;
    return become(strong_kind(), special | kept_flags(), conflict);
  }

  Kind strong_kind() const {
    if (me_.observes || me_.is_made || before_floor()) return Kind::written_strongly;
    if (kind_ == Kind::written_strongly_by_grid) return kind_;
    if (ordered(writers())) return Kind::written_strongly;
    if (mine()) return kind_;
    if (!my_block()) return Kind::written_strongly_by_grid;
    return my_warp() && kind_ != Kind::written_strongly_by_block ? Kind::written_strongly_by_warp
                                                                 : Kind::written_strongly_by_block;
  }

  const Accessor& me_;
  const Cell cell_;
  const Kind kind_;
  const unsigned flags_;
  const uint64_t block_, time_;
  const uint32_t thread_;
};

}  // namespace

Outcome judge(const Accessor& me, Cell cell) { return Judge(me, cell).outcome(); }

Conflict with_unordered_update(const Accessor& me, Cell cell) {
  return Judge(me, cell).with_unordered_update();
}

}  // namespace warpgrade::emulator
