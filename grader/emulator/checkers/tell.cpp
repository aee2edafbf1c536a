// SPDX-License-Identifier: MIT
#include "emulator/checkers/tell.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"
#include "emulator/checkers/constant_data.h"
#include "emulator/exec/access.h"
#include "emulator/exec/updates.h"
#include "emulator/exec/worker.h"

namespace warpgrade::emulator {
namespace {

/// Kinds of FaultKey.
enum Told : int { kUnwritten = 200, kUnwrittenLocal, kRaceRead, kRaceWrite, kConstant };

/// Counts a fault, and has it worded where it is the first of its place: it is returned then.
template <class Words>
Fault* tell(Warp& warp, const Instruction& instruction, int kind, uint64_t object, uint32_t thread,
            const char* checker, Words words) {
  const uint32_t lanes = 1u << (thread % kWarpSize);
  const auto found = warp.worker->faults.find(FaultKey{instruction.pc, kind, object});
  if (found != warp.worker->faults.end()) {
    ++found->second.count;
    return nullptr;
  }
  return &report_fault(warp, instruction, LaunchStatus::ok, kind, object, lanes, checker, words());
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

std::string verb(Act act, bool atomic) {
  switch (act) {
    case Act::read:
    case Act::strong_read:
      return "reads";
    case Act::write:
      return "writes";
    case Act::strong_write:
      return atomic ? "updates atomically" : "writes";
  }
  return "accesses";
}

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
        other_pc_(warp.worker->access_log.find(cell, block_, me.layout.time(cell_),
                                               thread_ / kWarpSize, (cell_ & kWrites) != 0)) {}

  std::string words(const std::string& name) const {
    if (conflict_ == Conflict::with_copy)
      return fmt::format(
          "reads {}, which cp.async of {} is still copying{}: wait for the copy first", name,
          other(), line());
    return fmt::format("{} {}, which {} {}{}, {}", verb(me_.act, !me_.is_volatile), name, other(),
                       other_verb(), line(), advice());
  }

  /// The same in parts.
  RaceAccesses accesses(const std::string& name) const {
    const bool has_line = alone() && other_pc_ != kNoDetail;
    RaceAccesses race{name,
                      verb(me_.act, !me_.is_volatile),
                      other_verb(),
                      other(),
                      has_line ? launch_.module->file_of(other_pc_) : "",
                      has_line ? launch_.module->line_of(other_pc_) : 0,
                      advice()};
    if (conflict_ != Conflict::with_copy) return race;
    race.second_act = "is still copying by cp.async";
    race.missing = "with no wait for the copy between";
    return race;
  }

  /// The sentence about data that a kernel both writes and reads as constants.
  std::string words_of_constants(const std::string& name) const {
    const bool known = me_.layout.is_of_launch(cell_) && kind_of(cell_) != Kind::none &&
                       kind_of(cell_) != Kind::split && me_.writes() == ((cell_ & kWrites) == 0);
    const bool itself = known && my_block() && thread_ == me_.thread;
    const std::string who = itself ? "the thread itself" : known ? other() : "this kernel";
    const std::string where = known ? line() : "";
    constexpr std::string_view kWhy =
        "__ldg() and const __restrict__ pointers are for data that nothing writes while the "
        "kernel runs, and textures for data that the kernel has not written";
    if (me_.writes())
      return fmt::format("writes {}, which {} reads through the read-only cache{}: {}", name, who,
                         where, kWhy);
    return fmt::format("reads {} through the read-only cache, which {} writes{}: {}", name, who,
                       where, kWhy);
  }

 private:
  bool my_block() const { return block_ == me_.clock.block(); }
  bool alone() const {
    return conflict_ == Conflict::with_owner || conflict_ == Conflict::with_copy;
  }

  std::string other() const {
    if (!alone()) {
      if (conflict_ == Conflict::with_earlier_write)
        return my_block() ? "another warp of the block"
                          : fmt::format("block {}", block_text(launch_, block_));
      return kind_of(cell_) == Kind::read_by_grid ||
                     kind_of(cell_) == Kind::written_strongly_by_grid
                 ? "another block"
                 : "another thread of the block";
    }
    if (kind_of(cell_) == Kind::read_by_block)
      return my_block() ? "another warp of the block"
                        : fmt::format("block {}", block_text(launch_, block_));
    const std::string thread = "thread " + thread_text(launch_, thread_);
    if (!my_block()) return fmt::format("{} of block {}", thread, block_text(launch_, block_));
    return thread + (thread_ / kWarpSize == me_.thread / kWarpSize ? " of the same warp"
                                                                   : " of the same block");
  }

  std::string other_verb() const {
    if (conflict_ == Conflict::with_earlier_write) return "wrote earlier";
    switch (kind_of(cell_)) {
      case Kind::written:
        return "writes";
      case Kind::written_strongly:
      case Kind::written_strongly_by_warp:
      case Kind::written_strongly_by_block:
      case Kind::written_strongly_by_grid:
        return is_volatile_write() ? "writes" : "updates atomically";
      default:
        return "reads";
    }
  }
  bool is_volatile_write() const {
    return other_pc_ != kNoDetail &&
           (launch_.module->program.code[other_pc_].ordering & kAtomic) == 0;
  }

  std::string line() const {
    if (!alone() || other_pc_ == kNoDetail) return "";
    const LoadedModule& module = *launch_.module;
    const std::string file = module.file_of(other_pc_);
    if (file.empty()) return "";
    const int line = module.line_of(other_pc_);
    const bool here =
        line == module.line_of(instruction_.pc) && file == module.file_of(instruction_.pc);
    if (here) return " in the same line";
    return file == module.file_of(instruction_.pc) ? fmt::format(" in line {}", line)
                                                   : fmt::format(" in {}:{}", file, line);
  }

  bool both_write() const { return me_.writes() && (cell_ & kWrites) != 0; }
  bool same_warp() const {
    return alone() && kind_of(cell_) != Kind::read_by_block &&
           thread_ / kWarpSize == me_.thread / kWarpSize;
  }

  /// The function that does at once what two threads here do in steps; empty where they do not both
  /// change the value. Where it is no longer known what the other did, this one's change is enough.
  std::string_view atomic_for_both() const {
    const LoadedModule& module = *launch_.module;
    const bool is_strong = me_.act == Act::strong_write || me_.act == Act::strong_read;
    if (is_strong && !me_.has_read) return "";
    const auto mine = update_at(module, instruction_.pc);
    const auto others = other_pc_ == kNoDetail ? mine : update_at(module, other_pc_);
    if (!mine || !others || mine->opcode != others->opcode) return "";
    constexpr std::pair<std::string_view, std::string_view> kAtomics[] = {
        {"add", "atomicAdd()"}, {"sub", "atomicSub()"}, {"fma", "atomicAdd()"},
        {"mad", "atomicAdd()"}, {"min", "atomicMin()"}, {"max", "atomicMax()"},
        {"and", "atomicAnd()"}, {"or", "atomicOr()"},   {"xor", "atomicXor()"}};
    for (const auto& [opcode, function] : kAtomics) {
      if (mine->opcode == opcode) return function;
    }
    return "atomicCAS()";
  }

  /// What is missing, by the pattern of the two accesses.
  std::string advice() const {
    if (const std::string_view atomic = atomic_for_both(); !atomic.empty())
      return fmt::format("and {} changes the value that it has read: use {}",
                         other_pc_ == kNoDetail ? "this thread" : "each", atomic);
    if (me_.has_read)
      return "and nothing says which comes first, though each goes on from a value that it has "
             "loaded: "
             "volatile makes no update atomic, so use an atomic function, or a lock with "
             "__threadfence() behind its start and before its end";
    const bool in_turn = both_write() && other_pc_ == instruction_.pc;
    if (in_turn) return "by the same instruction: let only one thread write it";
    if (my_block())
      return same_warp() ? "with no __syncwarp() or __syncthreads() between"
                         : "with no __syncthreads() between";
    const bool strong = me_.act == Act::strong_write && kind_of(cell_) >= Kind::written_strongly;
    if (strong && conflict_ == Conflict::with_owner)
      return "and one of the two is atomic only within its block";
    return both_write() ? "and nothing orders the two blocks: let only one thread write it"
                        : "and nothing orders the two blocks: let another launch read it, or "
                          "let the writer set a flag behind __threadfence()";
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

std::string element(std::string_view array, uint64_t bytes_of_array, uint64_t offset,
                    unsigned bytes) {
  if (bytes_of_array == bytes) return std::string(array);
  return offset % bytes == 0 ? fmt::format("{}[{}]", array, offset / bytes)
                             : fmt::format("byte {} of {}", offset, array);
}

}  // namespace

uint64_t object_of(const LaunchContext& launch, const WatchedPlace& place, uint64_t address) {
  if (place.allocation != nullptr) return place.allocation->id;
  const SharedVariable* const variable = shared_variable(launch, address, address + 1);
  return variable == nullptr ? 0 : variable->offset;
}

std::string name_of(const LaunchContext& launch, const WatchedPlace& place, uint64_t address,
                    unsigned bytes) {
  if (place.allocation == nullptr) {
    const SharedVariable* const variable = shared_variable(launch, address, address + 1);
    if (variable == nullptr) return "shared memory";
    return element(variable->name, variable->bytes, address - variable->offset, bytes);
  }
  const Allocation& allocation = *place.allocation;
  const uint64_t offset = address - allocation.begin;
  constexpr std::string_view kVariable = "the variable ";
  if (allocation.origin.starts_with(kVariable))
    return element(std::string_view(allocation.origin).substr(kVariable.size()), allocation.size,
                   offset, bytes);
  const std::string whole =
      fmt::format("the {}-byte allocation made by {}", allocation.size, allocation.origin);
  return offset % bytes == 0 ? fmt::format("element {} of {}", offset / bytes, whole)
                             : fmt::format("byte {} of {}", offset, whole);
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
  Fault* const fault = tell(warp, instruction, me.writes() ? kRaceWrite : kRaceRead,
                            object_of(launch, place, address), me.thread, "race",
                            [&] { return race().words(name()); });
  if (fault != nullptr) fault->race = race().accesses(name());
}

void tell_constant(Warp& warp, const Instruction& instruction, const WatchedPlace& place,
                   uint64_t address, unsigned bytes, const Accessor& me, const Cell* cell) {
  const LaunchContext& launch = *warp.worker->launch;
  tell(warp, instruction, kConstant, object_of(launch, place, address), me.thread, "race", [&] {
    return Race(warp, instruction, me, {*cell, Conflict::with_owner}, cell)
        .words_of_constants(name_of(launch, place, address, bytes));
  });
}

void tell_unwritten(Warp& warp, const Instruction& instruction, const WatchedPlace& place,
                    uint64_t address, unsigned bytes, uint32_t thread) {
  const LaunchContext& launch = *warp.worker->launch;
  tell(warp, instruction, kUnwritten, object_of(launch, place, address), thread, "init", [&] {
    return fmt::format("reads {}, which nothing has written",
                       name_of(launch, place, address, bytes));
  });
}

void tell_unwritten_local(Warp& warp, const Instruction& instruction, unsigned bytes,
                          uint32_t thread) {
  tell(warp, instruction, kUnwrittenLocal, 0, thread, "init", [&] {
    return fmt::format("reads {} of a local array or variable that its thread has not written",
                       counted(bytes, "byte"));
  });
}

}  // namespace warpgrade::emulator
