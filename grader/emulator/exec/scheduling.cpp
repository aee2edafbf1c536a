// SPDX-License-Identifier: MIT
#include "emulator/exec/scheduling.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/checkers/sync.h"
#include "emulator/checkers/undefined.h"
#include "emulator/exec/block.h"
#include "emulator/exec/meeting.h"
#include "emulator/exec/order.h"
#include "emulator/exec/worker.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

constexpr uint32_t kMaxCallDepth = 512;
/// What the registers of all functions that a warp is in may take.
constexpr uint64_t kMaxStackBytes = uint64_t{128} << 20;
/// How often in a row the same lanes may be chosen, others waiting, before those get a turn. A loop
/// that waits for another thread's write must give way soon; any other loop should keep its lanes
/// together to the end.
constexpr uint32_t kSpinPatience = 32;
constexpr uint32_t kPatience = 1u << 20;
constexpr uint32_t kFavour = 64;
constexpr uint32_t kOrderedFavour = 16;
/// How often in a row the same lane may get that turn, others waiting, and how often any lane that is next in the order.
constexpr uint32_t kSameTurns = 4;
constexpr uint32_t kTurnsInOrder = 64;

bool is_ready(const Group& group) { return group.state == Group::State::ready; }

void merge_groups(std::vector<Group>& groups) {
  for (size_t one = 0; one < groups.size(); ++one) {
    for (size_t two = groups.size(); --two > one;) {
      Group &a = groups[one], &b = groups[two];
      if (a.pc != b.pc || a.frame != b.frame || !is_ready(a) || !is_ready(b)) continue;
      if (a.leaves || b.leaves) continue;
      a.mask |= b.mask;
      groups.erase(groups.begin() + static_cast<long>(two));
    }
  }
}

/// Those that leave first, then the deepest call, then the lowest place; -1 where none is ready. `skip` is passed over if
/// another is ready.
int lowest_ready(const Warp& warp, int skip) {
  const std::vector<Group>& groups = warp.groups;
  int best = -1;
  for (int index = 0; index < static_cast<int>(groups.size()); ++index) {
    const Group& group = groups[static_cast<size_t>(index)];
    if (!is_ready(group) || index == skip) continue;
    if (best < 0) {
      best = index;
      continue;
    }
    const Group& champion = groups[static_cast<size_t>(best)];
    if (group.leaves != champion.leaves) {
      if (group.leaves) best = index;
      continue;
    }
    const bool deeper = group.frame->depth > champion.frame->depth;
    const bool level = group.frame->depth == champion.frame->depth;
    if (deeper || (level && warp.places[group.pc] < warp.places[champion.pc])) best = index;
  }
  return best;
}

int group_of_lane(const std::vector<Group>& groups, int lane) {
  for (size_t index = 0; index < groups.size(); ++index) {
    if ((groups[index].mask >> lane & 1) != 0 && is_ready(groups[index]))
      return static_cast<int>(index);
  }
  return -1;
}

/// Under an order of its own, a warp runs any group for a short while and then the lowest for a
/// longer one, so that branches still meet again.
int ordered_choice(Warp& warp, int lowest, uint64_t order) {
  const uint64_t draw = mixed(order, warp.index, warp.executed);
  if (draw % 2 == 0) {
    warp.favoured_lane = first_lane(warp.groups[static_cast<size_t>(lowest)].mask);
    warp.favour_left = kFavour;
    return lowest;
  }
  std::vector<int> ready;
  for (size_t index = 0; index < warp.groups.size(); ++index) {
    if (is_ready(warp.groups[index])) ready.push_back(static_cast<int>(index));
  }
  const int choice = ready[draw / 2 % ready.size()];
  warp.favoured_lane = first_lane(warp.groups[static_cast<size_t>(choice)].mask);
  warp.favour_left = static_cast<uint32_t>(draw >> 32) % kOrderedFavour;
  return choice;
}

/// The group that gets a turn beside the lowest: mostly `next`, as the order has it. Where that makes no headway, all others
/// get theirs, too, lane by lane.
int turn_beside(Warp& warp, int lowest, int next) {
  const int lane = first_lane(warp.groups[static_cast<size_t>(next)].mask);
  warp.same_turns = lane == warp.turned_lane ? warp.same_turns + 1 : 0;
  warp.turned_lane = lane;
  if (warp.same_turns < kSameTurns && ++warp.turns_in_order < kTurnsInOrder) return next;
  warp.same_turns = warp.turns_in_order = 0;
  int choice = next;
  int least = kWarpSize;
  for (size_t index = 0; index < warp.groups.size(); ++index) {
    const Group& group = warp.groups[index];
    const bool waits = static_cast<int>(index) != lowest && static_cast<int>(index) != next;
    const int distance = (first_lane(group.mask) - warp.last_lane - 1) & (kWarpSize - 1);
    if (!waits || !is_ready(group) || distance >= least) continue;
    least = distance;
    choice = static_cast<int>(index);
  }
  if (choice != next) warp.last_lane = first_lane(warp.groups[static_cast<size_t>(choice)].mask);
  return choice;
}

int fair_choice(Warp& warp) {
  const int lowest = lowest_ready(warp, -1);
  if (lowest < 0 || warp.groups.size() == 1) return lowest;
  if (warp.favour_left > 0) {
    --warp.favour_left;
    if (const int favoured = group_of_lane(warp.groups, warp.favoured_lane); favoured >= 0)
      return favoured;
    warp.favour_left = 0;
  }
  const uint64_t order = warp.worker->launch->options->order;
  if (order != kNaturalOrder) return ordered_choice(warp, lowest, order);
  if (++warp.picks <= (warp.spins ? kSpinPatience : kPatience)) return lowest;
  warp.picks = 0;
  warp.spins = false;
  const int next = lowest_ready(warp, lowest);
  if (next < 0) return lowest;
  const int other = turn_beside(warp, lowest, next);
  warp.favoured_lane = first_lane(warp.groups[static_cast<size_t>(other)].mask);
  warp.favour_left = kFavour;
  return other;
}

void load_group(Warp& warp, int index) {
  const Group& group = warp.groups[static_cast<size_t>(index)];
  warp.running = index;
  warp.frame = group.frame;
  warp.registers = group.frame->registers;
  warp.pc = group.pc;
  warp.active = group.mask;
}

/// Takes the lanes in warp.mask out of the running group; they go on in a group of their own.
Group& split_off(Warp& warp, uint32_t pc) {
  warp.active &= ~warp.mask;
  Group group;
  group.frame = warp.frame;
  group.pc = pc;
  group.mask = warp.mask;
  warp.groups.push_back(group);
  if (warp.signal == Signal::none) warp.signal = Signal::regroup;
  return warp.groups.back();
}

void copy_rows(Warp& warp, const uint8_t* from, uint8_t* to, uint32_t bytes) {
  for (uint32_t row = 0; row < (bytes + 3) / 4; ++row) {
    for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
      const size_t at = (row * kWarpSize + static_cast<size_t>(first_lane(mask))) * 4;
      std::memcpy(to + at, from + at, 4);
    }
  }
}

}  // namespace

bool choose_group(Warp& warp) {
  if (warp.groups.size() > 1) merge_groups(warp.groups);
  const int choice = fair_choice(warp);
  if (choice < 0) {
    warp.running = -1;
    return false;
  }
  load_group(warp, choice);
  return true;
}

void park_group(Warp& warp) {
  if (warp.running < 0) return;
  Group& group = warp.groups[static_cast<size_t>(warp.running)];
  group.pc = warp.pc;
  group.mask = warp.active;
  group.frame = warp.frame;
  if (group.mask == 0) warp.groups.erase(warp.groups.begin() + warp.running);
  warp.running = -1;
}

void give_way(Warp& warp) {
  warp.spins = true;
  for (size_t index = 0; index < warp.groups.size(); ++index) {
    if (static_cast<int>(index) != warp.running && is_ready(warp.groups[index])) return;
  }
  warp.slice_end = warp.executed;
}

void branch(Warp& warp, uint32_t target) { split_off(warp, target); }

void call_function(Warp& warp, const Instruction& instruction, const FunctionCode& function) {
  const Frame& caller = *warp.frame;
  const uint64_t local = end_of_local(caller);
  if (caller.depth >= kMaxCallDepth || local + function.local_bytes > kMaxLocalBytes ||
      caller.stack_bytes + function.frame_bytes > kMaxStackBytes) {
    report_fault(warp, instruction, LaunchStatus::illegal_address, 103, 0, warp.mask,
                 say("memory.stack"));
    return stop(warp);
  }
  const Detail& detail = warp.worker->launch->module->program.details[instruction.detail];
  Group& group = split_off(warp, function.first);
  Frame* const callee = make_frame(warp, function, warp.frame, warp.mask);
  callee->return_pc = warp.pc;
  callee->call_detail = instruction.detail;
  for (size_t index = 0; index < std::min(detail.registers.size(), function.parameters.size());
       ++index) {
    const ParameterSlot& slot = function.parameters[index];
    copy_rows(warp, warp.registers + detail.registers[index], callee->registers + slot.offset,
              std::min(slot.bytes, detail.slot_bytes[index]));
  }
  group.frame = callee;
}

void return_from_function(Warp& warp) {
  Frame* const frame = warp.frame;
  if (frame->caller == nullptr) return end_lanes(warp);
  const Detail& detail = warp.worker->launch->module->program.details[frame->call_detail];
  for (size_t index = 0; index < std::min(detail.more.size(), frame->function->returns.size());
       ++index) {
    const ParameterSlot& slot = frame->function->returns[index];
    copy_rows(warp, frame->registers + slot.offset, frame->caller->registers + detail.more[index],
              std::min(slot.bytes, detail.slot_bytes[detail.registers.size() + index]));
  }
  split_off(warp, frame->return_pc).frame = frame->caller;
  leave_frame(warp, frame, warp.mask);
}

void end_lanes(Warp& warp) {
  warp.active &= ~warp.mask;
  exit_lanes(warp, warp.mask);
  warp.signal = Signal::regroup;
}

void wait_at_barrier(Warp& warp, const Instruction& instruction, uint32_t barrier,
                     uint32_t expected) {
  Barrier& state = warp.block->barriers[barrier];
  if (instruction.mode != kReduceNone) {
    uint32_t holds = warp.predicate(instruction.c);
    if (instruction.immediate != 0) holds = ~holds;
    holds &= warp.mask;
    state.reduction_count += static_cast<uint32_t>(std::popcount(holds));
    state.reduction_and &= holds == warp.mask;
    state.reduction_or |= holds != 0;
  }
  arrive_at_barrier(warp, barrier, expected);
  Group& group = split_off(warp, warp.pc);
  group.state = Group::State::at_barrier;
  group.barrier = static_cast<uint8_t>(barrier);
  group.waits_at = instruction.pc;
}

void arrive_at_barrier(Warp& warp, uint32_t barrier, uint32_t expected) {
  Barrier& state = warp.block->barriers[barrier];
  if (expected != 0) watch_arrival(warp, barrier);
  // Where threads are counted, a whole warp counts as 32, even one that has fewer.
  const bool whole = expected != 0 && warp.mask == warp.live;
  state.arrived += whole ? kWarpSize : static_cast<uint32_t>(std::popcount(warp.mask));
  state.expected = expected;
}

namespace {

void park_for_members(Warp& warp, const Instruction& instruction, uint32_t members) {
  Group& group = split_off(warp, instruction.pc);
  group.state = Group::State::at_warp_sync;
  group.waits_at = instruction.pc;
  group.waits_for = members;
}

}  // namespace

bool wait_for_members(Warp& warp, const Instruction& instruction, uint32_t members) {
  if ((members & warp.live & ~warp.mask) == 0 || warp.forced) {
    warp.forced = false;
    return false;
  }
  // Those that wait here already for the same members join in, and the instruction runs again for all of them. Lanes that
  // name others never run it together, and waking one another would go on for ever.
  for (size_t index = 0; index < warp.groups.size(); ++index) {
    Group& group = warp.groups[index];
    const bool here = group.state == Group::State::at_warp_sync &&
                      group.waits_at == instruction.pc && group.frame == warp.frame &&
                      group.waits_for == members;
    if (!here) continue;
    group.state = Group::State::ready;
    split_off(warp, instruction.pc);
    return true;
  }
  park_for_members(warp, instruction, members);
  return true;
}

bool meet_members(Warp& warp, const Instruction& instruction, uint32_t members) {
  const Instruction* const code = warp.worker->launch->module->program.code.data();
  const auto waits_too = [&](const Group& group) {
    return group.state == Group::State::at_warp_sync && group.waits_for == members &&
           code[group.waits_at].run == instruction.run;
  };
  warp.met = warp.mask;
  for (const Group& group : warp.groups) warp.met |= waits_too(group) ? group.mask : 0;
  if ((members & warp.live & ~warp.met) != 0 && !warp.forced) {
    park_for_members(warp, instruction, members);
    return true;
  }
  warp.forced = false;
  for (Group& group : warp.groups) {
    if (!waits_too(group)) continue;
    group.state = Group::State::ready;
    group.pc = group.waits_at + 1;
  }
  return false;
}

void stop(Warp& warp) {
  warp.worker->launch->stop = true;
  warp.signal = Signal::stop;
}

void start_warp(Warp& warp, const FunctionCode& entry, uint32_t lanes) {
  for (auto& frame : warp.frames) warp.spare_frames.push_back(std::move(frame));
  warp.frames.clear();
  warp.groups.clear();
  warp.wrote.clear();
  warp.live = lanes;
  warp.code = warp.worker->launch->module->program.code.data();
  warp.places = warp.worker->launch->module->program.places.data();
  if (warp.undefined != nullptr) warp.undefined->clear();
  warp.running = -1;
  warp.signal = Signal::none;
  warp.spins = warp.forced = warp.meets = warp.waits = false;
  warp.last_turn = 0;
  warp.picks = warp.favour_left = 0;
  warp.same_turns = warp.turns_in_order = 0;
  warp.turned_lane = warp.last_lane = -1;
  warp.executed = 0;
  Group group;
  group.frame = make_frame(warp, entry, nullptr, lanes);
  group.pc = entry.first;
  group.mask = lanes;
  warp.groups.push_back(group);
}

void leave_frame(Warp& warp, Frame* frame, uint32_t lanes) {
  frame->lanes &= ~lanes;
  if (frame->lanes != 0) return;
  const auto found = std::find_if(warp.frames.begin(), warp.frames.end(),
                                  [&](const auto& held) { return held.get() == frame; });
  warp.spare_frames.push_back(std::move(*found));
  warp.frames.erase(found);
}

void exit_lanes(Warp& warp, uint32_t lanes) {
  warp.live &= ~lanes;
  warp.block->live_threads -= static_cast<uint32_t>(std::popcount(lanes));
  for (auto& frame : warp.frames) frame->lanes &= ~lanes;
}

namespace {

bool waits_for_members(const Group& group) { return group.state == Group::State::at_warp_sync; }

}  // namespace

bool end_waits(Warp& warp) {
  if (std::none_of(warp.groups.begin(), warp.groups.end(), waits_for_members)) return false;
  const auto misses = [&](const Group& group) {
    return (group.waits_for & warp.live & ~group.mask) != 0;
  };
  // Where all that are missing have ended since, the others need not wait for them.
  const auto free = std::find_if(warp.groups.begin(), warp.groups.end(), [&](const Group& group) {
    return waits_for_members(group) && !misses(group);
  });
  if (free != warp.groups.end()) {
    free->state = Group::State::ready;
    return true;
  }
  return let_groups_meet(warp);
}

bool give_up_waiting(Warp& warp) {
  if (end_waits(warp)) return true;
  // The first goes on alone and may end; what the others miss is reported before.
  for (Group& group : warp.groups) {
    if (waits_for_members(group) && !std::exchange(group.is_stuck, true))
      report_members_missing(warp, group);
  }
  const auto first = std::find_if(warp.groups.begin(), warp.groups.end(), waits_for_members);
  if (first == warp.groups.end()) return false;
  first->state = Group::State::ready;
  first->is_stuck = false;
  warp.forced = true;
  return true;
}

}  // namespace warpgrade::emulator
