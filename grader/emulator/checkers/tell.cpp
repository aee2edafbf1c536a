// SPDX-License-Identifier: MIT
#include "emulator/checkers/tell.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "emulator/checkers/constant_data.h"
#include "emulator/exec/access.h"
#include "emulator/exec/updates.h"
#include "emulator/exec/worker.h"
#include "emulator/memory/device_heap.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// Kinds of FaultKey.
enum Told : int { kUnwritten = 200, kUnwrittenLocal, kRaceRead, kRaceWrite, kConstant };

/// Counts a fault, and makes its sentence where it is the first of its place: it is returned then.
template <class Words>
Fault* tell(Warp& warp, const Instruction& instruction, int kind, uint64_t object, uint32_t thread,
            Words words) {
  const uint32_t lanes = 1u << (thread % kWarpSize);
  const auto found =
      warp.worker->faults.find(FaultKey{visible_pc(warp, instruction.pc), kind, object});
  if (found != warp.worker->faults.end()) {
    ++found->second.count;
    return nullptr;
  }
  return &report_fault(warp, instruction, LaunchStatus::ok, kind, object, lanes, words());
}

std::string thread_text(const LaunchContext& launch, uint32_t linear) {
  const Dim3 thread = thread_index(launch.request->block, linear);
  return fmt::format("({},{},{})", thread.x, thread.y, thread.z);
}

std::string block_text(const LaunchContext& launch, uint64_t linear) {
  const Dim3& grid = launch.request->grid;
  return fmt::format("({},{},{})", linear % grid.x, linear / grid.x % grid.y,
                     linear / grid.x / grid.y);
}

/// Whether it starts a copy or store that only its barrier, or a wait for it, says to be over.
bool is_under_way(std::string_view opcode) {
  return opcode.starts_with("cp.async.bulk") || opcode.starts_with("st.async");
}

Sentence verb(Act act, bool atomic) {
  if (act == Act::read || act == Act::strong_read) return say("act.reads");
  return say(act == Act::strong_write && atomic ? "act.updates" : "act.writes");
}

Sentence nothing() { return {}; }

/// The function for updates that have none of their own.
constexpr std::string_view kAnyUpdate = "atomicCAS()";

/// The two accesses of a conflict.
class Race {
 public:
  Race(Warp& warp, const Instruction& instruction, const Accessor& me, const Outcome& outcome,
       const Cell* cell)
      : warp_(warp),
        launch_(*warp.worker->launch),
        instruction_(instruction),
        me_(me),
        conflict_(outcome.conflict),
        cell_(outcome.next),
        block_(me.shared ? me.clock.block() : me.layout.block(cell_)),
        thread_(me.layout.thread(cell_)),
        other_pc_(find_other(warp, cell)) {}

  Sentence words(const Sentence& object) const {
    if (conflict_ == Conflict::with_copy)
      return say("race.copy", {{"object", object},
                               {"who", is_mine() ? say("who.itself") : other()},
                               {"where", line()}});
    return say("race.between", {{"act", own_verb()},
                                {"object", object},
                                {"who", other()},
                                {"other_act", other_verb()},
                                {"where", line()},
                                {"advice", advice()}});
  }

  /// The other access's line, where it is known and in the same file; else 0.
  int other_line() const {
    const bool is_known = alone() && other_pc_ != kNoDetail;
    const bool is_here =
        is_known && launch_.module->file_of(other_pc_) == launch_.module->file_of(instruction_.pc);
    return is_here ? launch_.module->line_of(other_pc_) : 0;
  }

  /// The same in parts.
  RaceAccesses accesses(const Sentence& object) const {
    const bool has_line = alone() && other_pc_ != kNoDetail;
    RaceAccesses race{object.text,
                      own_verb().text,
                      other_verb().text,
                      other().text,
                      has_line ? launch_.module->file_of(other_pc_) : "",
                      has_line ? launch_.module->line_of(other_pc_) : 0,
                      advice().text};
    if (conflict_ != Conflict::with_copy) return race;
    race.second_act = say("act.copies").text;
    race.missing = say("advice.wait").text;
    return race;
  }

  /// The sentence about data that a kernel both writes and reads as constants.
  Sentence words_of_constants(const Sentence& object) const {
    const bool known = me_.layout.is_of_launch(cell_) && kind_of(cell_) != Kind::none &&
                       kind_of(cell_) != Kind::split && me_.writes() == ((cell_ & kWrites) == 0);
    const Sentence who = known && is_mine() ? say("who.itself")
                         : known            ? other()
                                            : say("who.kernel");
    const Sentence where = known ? line() : nothing();
    return say(me_.writes() ? "race.constant_write" : "race.constant_read",
               {{"object", object}, {"who", who}, {"where", where}});
  }

 private:
  /// The instruction of the other access, or kNoDetail. Where several warps of a block have read, the cell names none
  /// of them, and each may have read at a time of its own.
  uint32_t find_other(Warp& warp, const Cell* cell) const {
    AccessLog& log = warp.worker->access_log;
    if (kind_of(cell_) != Kind::read_by_block || !my_block())
      return log.find(cell, block_, me_.layout.time(cell_), thread_ / kWarpSize,
                      (cell_ & kWrites) != 0);
    const Dim3& block = launch_.request->block;
    const uint32_t warps = (block.x * block.y * block.z + kWarpSize - 1) / kWarpSize;
    for (uint32_t other = 0; other < warps; ++other) {
      if (other == me_.thread / kWarpSize) continue;
      const uint32_t pc = log.find(cell, block_, std::nullopt, other, false);
      if (pc != kNoDetail) return pc;
    }
    return kNoDetail;
  }
  bool my_block() const { return block_ == me_.clock.block(); }
  /// Whether the other access is another block's; the cell's owner is not always the one that is met.
  bool is_of_other_block() const {
    const bool by_grid =
        kind_of(cell_) == Kind::read_by_grid || kind_of(cell_) == Kind::written_strongly_by_grid;
    return !my_block() || (conflict_ == Conflict::with_others && by_grid);
  }
  bool is_mine() const { return my_block() && thread_ == me_.thread; }
  bool alone() const {
    return conflict_ == Conflict::with_owner || conflict_ == Conflict::with_copy;
  }

  Sentence other_warp_or_block() const {
    return my_block() ? say("who.warp")
                      : say("who.block", {{"block", block_text(launch_, block_)}});
  }

  Sentence other() const {
    if (!alone()) {
      if (conflict_ == Conflict::with_earlier_write) return other_warp_or_block();
      const bool by_grid =
          kind_of(cell_) == Kind::read_by_grid || kind_of(cell_) == Kind::written_strongly_by_grid;
      return say(by_grid ? "who.other_block" : "who.other_thread");
    }
    if (kind_of(cell_) == Kind::read_by_block) return other_warp_or_block();
    const std::string thread = thread_text(launch_, thread_);
    if (!my_block())
      return say("who.thread_of_block",
                 {{"thread", thread}, {"block", block_text(launch_, block_)}});
    const bool is_same_warp = thread_ / kWarpSize == me_.thread / kWarpSize;
    return say(is_same_warp ? "who.thread_of_warp" : "who.thread_of_same_block",
               {{"thread", thread}});
  }

  Sentence own_verb() const {
    return verb(me_.act, !me_.is_volatile && !is_under_way(opcode_of(instruction_.pc)));
  }

  std::string_view opcode_of(uint32_t pc) const { return launch_.module->program.opcodes[pc]; }
  bool meets_copy() const {
    return alone() && other_pc_ != kNoDetail && is_under_way(opcode_of(other_pc_));
  }

  Sentence other_verb() const {
    if (conflict_ == Conflict::with_earlier_write) return say("act.wrote");
    if (meets_copy())
      return say(opcode_of(other_pc_).starts_with("cp") ? "act.copies_in_bulk"
                                                        : "act.stores_asynchronously");
    switch (kind_of(cell_)) {
      case Kind::written:
        return say("act.writes");
      case Kind::written_strongly:
      case Kind::written_strongly_by_warp:
      case Kind::written_strongly_by_block:
      case Kind::written_strongly_by_grid:
        return say(is_volatile_write() ? "act.writes" : "act.updates");
      default:
        return say("act.reads");
    }
  }
  bool is_volatile_write() const {
    return other_pc_ != kNoDetail &&
           (launch_.module->program.code[other_pc_].ordering & kAtomic) == 0;
  }

  Sentence line() const {
    if (!alone() || other_pc_ == kNoDetail) return nothing();
    const LoadedModule& module = *launch_.module;
    const std::string file = module.file_of(other_pc_);
    if (file.empty()) return nothing();
    const int line = module.line_of(other_pc_);
    const bool here =
        line == module.line_of(instruction_.pc) && file == module.file_of(instruction_.pc);
    if (here) return say("in.same_line");
    return file == module.file_of(instruction_.pc)
               ? say("in.line", {{"line", line}})
               : say("in.file", {{"file", file}, {"line", line}});
  }

  /// Whether an atomic of one block and a plain store of another meet. The store's block may have hidden it by an atomic.
  bool is_store_beside_atomic() const {
    if (my_block() || !me_.writes()) return false;
    const bool mine = (instruction_.ordering & kAtomic) != 0;
    if (conflict_ == Conflict::with_earlier_write) return mine;
    const bool others = kind_of(cell_) >= Kind::written_strongly && !is_volatile_write();
    return both_write() && mine != others;
  }
  bool both_write() const { return me_.writes() && (cell_ & kWrites) != 0; }
  bool same_warp() const {
    return alone() && kind_of(cell_) != Kind::read_by_block &&
           thread_ / kWarpSize == me_.thread / kWarpSize;
  }

  /// The function that does at once what two threads here do in steps; empty where they do not both
  /// change the value. Where it is no longer known what the other did, this one's change is enough, but for a read of
  /// another warp: an addition of neighbours' elements reads, too.
  std::string_view atomic_for_both() const {
    const LoadedModule& module = *launch_.module;
    const bool reads_unknown =
        other_pc_ == kNoDetail && my_block() && kind_of(cell_) == Kind::read_by_block;
    if (reads_unknown) return "";
    const bool is_strong = me_.act == Act::strong_write || me_.act == Act::strong_read;
    if (is_strong && !me_.has_read) return "";
    const std::string_view mine = updated_by(module, instruction_.pc);
    const auto others = other_pc_ == kNoDetail ? mine : updated_by(module, other_pc_);
    if (mine.empty() || mine != others) return "";
    constexpr std::pair<std::string_view, std::string_view> kAtomics[] = {
        {"add", "atomicAdd()"}, {"sub", "atomicSub()"}, {"fma", "atomicAdd()"},
        {"mad", "atomicAdd()"}, {"min", "atomicMin()"}, {"max", "atomicMax()"},
        {"and", "atomicAnd()"}, {"or", "atomicOr()"},   {"xor", "atomicXor()"}};
    for (const auto& [opcode, function] : kAtomics) {
      if (mine == opcode) return function;
    }
    return kAnyUpdate;
  }

  /// Fences order what a lock guards, beside what is missing where there is none.
  Sentence or_fences(const Sentence& advice) const {
    return may_lock() ? say("advice.or_fences", {{"advice", advice}}) : advice;
  }

  /// What makes one update of the two.
  Sentence atomic_advice(std::string_view function) const {
    const Sentence advice =
        say(other_pc_ == kNoDetail ? "advice.atomic_for_one" : "advice.atomic_for_both",
            {{"function", std::string(function)}});
    // Threads that all scale one element often mean to do it once.
    const bool once = function == kAnyUpdate;
    return or_fences(once ? say("advice.or_one_thread", {{"advice", advice}}) : advice);
  }

  /// Whether the function in hand swaps values, as who takes a lock does.
  bool may_lock() const {
    const Program& program = launch_.module->program;
    for (const FunctionCode& function : program.functions) {
      if (instruction_.pc - function.first >= function.count) continue;
      const auto begin = program.opcodes.begin() + function.first;
      return std::any_of(begin, begin + function.count, [](std::string_view opcode) {
        return opcode.starts_with("atom") &&
               (opcode.find(".cas") != opcode.npos || opcode.find(".exch") != opcode.npos);
      });
    }
    return false;
  }

  /// What is missing, by the pattern of the two accesses.
  Sentence advice() const {
    if (meets_copy()) {
      const bool counts = opcode_of(other_pc_).find("mbarrier") != std::string_view::npos;
      return say(counts ? "advice.wait_at_mbarrier" : "advice.wait");
    }
    if (const std::string_view atomic = atomic_for_both(); !atomic.empty())
      return atomic_advice(atomic);
    if (me_.has_read)
      return say(me_.is_made && !me_.is_volatile ? "advice.split" : "advice.volatile");
    if (is_store_beside_atomic()) return say("advice.other_launch");
    const bool strong = me_.act == Act::strong_write && kind_of(cell_) >= Kind::written_strongly;
    if (strong && !my_block() && conflict_ == Conflict::with_owner) return say("advice.scope");
    const bool in_turn = both_write() && other_pc_ == instruction_.pc;
    if (in_turn) return say("advice.one_writer");
    if (!is_of_other_block())
      return or_fences(say(same_warp() ? "advice.warp_barrier" : "advice.barrier"));
    return or_fences(say(both_write() ? "advice.blocks_write" : "advice.blocks"));
  }

  Warp& warp_;
  const LaunchContext& launch_;
  const Instruction& instruction_;
  const Accessor& me_;
  const Conflict conflict_;
  const Cell cell_;
  const uint64_t block_;
  const uint32_t thread_;
  const uint32_t other_pc_;
};

Sentence element(std::string_view name, uint64_t bytes_of_array, uint64_t offset, unsigned bytes) {
  const std::string array(name);
  if (bytes_of_array == bytes) return say("object.array", {{"array", array}});
  return offset % bytes == 0 ? say("object.element", {{"array", array}, {"index", offset / bytes}})
                             : say("object.byte", {{"offset", offset}, {"array", array}});
}

Sentence part_of(const Sentence& whole, uint64_t offset, unsigned bytes) {
  return offset % bytes == 0
             ? say("object.element_of", {{"index", offset / bytes}, {"allocation", whole}})
             : say("where.byte", {{"offset", offset}, {"allocation", whole}});
}

}  // namespace

uint64_t object_of(const LaunchContext& launch, const WatchedPlace& place, uint64_t address) {
  if (place.allocation != nullptr) return place.allocation->id;
  const SharedVariable* const variable = shared_variable(launch, address, address + 1);
  return variable == nullptr ? 0 : variable->offset;
}

Sentence name_of(const LaunchContext& launch, const WatchedPlace& place, uint64_t address,
                 unsigned bytes) {
  if (place.allocation == nullptr) {
    const SharedVariable* const variable = shared_variable(launch, address, address + 1);
    if (variable == nullptr) return say("object.shared");
    return element(variable->name, variable->bytes, address - variable->offset, bytes);
  }
  const Allocation& allocation = *place.allocation;
  const DeviceHeap* const heap = launch.request->heap;
  if (allocation.kind == AllocationKind::heap && heap != nullptr) {
    if (const auto block = heap->block_at(address))
      return part_of(say("allocation.in_kernel", {{"bytes", block->bytes}}), address - block->begin,
                     bytes);
  }
  const uint64_t offset = address - allocation.begin;
  constexpr std::string_view kVariable = "the variable ";
  if (allocation.origin.starts_with(kVariable))
    return element(std::string_view(allocation.origin).substr(kVariable.size()), allocation.size,
                   offset, bytes);
  return part_of(
      say("allocation.made", {{"bytes", allocation.size}, {"origin", allocation.origin}}), offset,
      bytes);
}

void tell_race(Warp& warp, const Instruction& instruction, const WatchedPlace& place,
               uint64_t address, unsigned bytes, const Accessor& me, const Outcome& outcome,
               const Cell* cell) {
  const LaunchContext& launch = *warp.worker->launch;
  // Cooperative groups order their own part of shared memory by shuffles, on which no program of
  // others may rely.
  const bool reserved = launch.reserved_shared != 0 && address >= launch.reserved_shared;
  if (place.allocation == nullptr && reserved) return;
  const auto name = [&] { return name_of(launch, place, address, bytes); };
  const auto race = [&] { return Race(warp, instruction, me, outcome, cell); };
  Fault* const fault =
      tell(warp, instruction, me.writes() ? kRaceWrite : kRaceRead,
           object_of(launch, place, address), me.thread, [&] { return race().words(name()); });
  if (fault == nullptr) return;
  fault->race = race().accesses(name());
  fault->other_line = race().other_line();
}

void tell_constant(Warp& warp, const Instruction& instruction, const WatchedPlace& place,
                   uint64_t address, unsigned bytes, const Accessor& me, const Cell* cell) {
  const LaunchContext& launch = *warp.worker->launch;
  tell(warp, instruction, kConstant, object_of(launch, place, address), me.thread, [&] {
    return Race(warp, instruction, me, {*cell, Conflict::with_owner}, cell)
        .words_of_constants(name_of(launch, place, address, bytes));
  });
}

void tell_unwritten(Warp& warp, const Instruction& instruction, const WatchedPlace& place,
                    uint64_t address, unsigned bytes, uint32_t thread) {
  const LaunchContext& launch = *warp.worker->launch;
  tell(warp, instruction, kUnwritten, object_of(launch, place, address), thread, [&] {
    return say("init.unwritten", {{"object", name_of(launch, place, address, bytes)}});
  });
}

void tell_unwritten_local(Warp& warp, const Instruction& instruction, unsigned bytes,
                          uint32_t thread) {
  tell(warp, instruction, kUnwrittenLocal, 0, thread, [&] {
    return say("init.local", {{"bytes", bytes}});
  });
}

}  // namespace warpgrade::emulator
