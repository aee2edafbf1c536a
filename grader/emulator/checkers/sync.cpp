// SPDX-License-Identifier: MIT
#include "emulator/checkers/sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>

#include "emulator/exec/block.h"
#include "emulator/exec/worker.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

enum FaultKind {
  kDivergentBarrier = 140,
  kPartOfWarp,
  kBadCount,
  kNotInMask,
  kNeverCome,
  kStuck,
  kIdleSource
};

const Program& program_of(const Warp& warp) { return warp.worker->launch->module->program; }

bool is_checked(const Warp& warp) { return warp.worker->launch->options->check.sync; }

uint32_t lanes_in(uint32_t mask) { return static_cast<uint32_t>(std::popcount(mask)); }

/// "line 12", with the file's name where it is not that of `from`.
Sentence line_of(const LoadedModule& module, uint32_t pc, uint32_t from) {
  const std::string file = module.file_of(pc);
  if (file.empty())
    return say("place.opcode", {{"opcode", std::string(module.program.opcodes[pc])}});
  return file == module.file_of(from)
             ? say("place.line", {{"line", module.line_of(pc)}})
             : say("place.file", {{"file", file}, {"line", module.line_of(pc)}});
}

/// "lane 3", "lanes 0-15 and 20", "16 lanes".
Sentence lanes_in_words(uint32_t mask) {
  std::vector<std::string> runs;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const int first = lane;
    while (lane + 1 < kWarpSize && (mask >> (lane + 1) & 1) != 0) ++lane;
    runs.push_back(first == lane ? std::to_string(first) : fmt::format("{}-{}", first, lane));
  }
  constexpr size_t kMostRuns = 4;
  if (runs.size() > kMostRuns) return say("lanes.counted", {{"count", lanes_in(mask)}});
  std::string text;
  for (size_t index = 0; index < runs.size(); ++index) {
    if (index != 0) text += ", ";
    text += runs[index];
  }
  return say(lanes_in(mask) == 1 ? "lanes.one" : "lanes.listed", {{"lanes", text}});
}

/// What CUDA C++ calls a warp instruction.
Filling call_of(std::string_view opcode) {
  constexpr std::pair<std::string_view, const char*> kNames[] = {{"shfl", "call.shuffle"},
                                                                 {"vote", "call.vote"},
                                                                 {"match", "call.match"},
                                                                 {"redux", "call.reduction"},
                                                                 {"elect", "call.election"}};
  if (opcode.starts_with("bar")) return {"call", "__syncwarp()"};
  for (const auto& [prefix, id] : kNames) {
    if (opcode.starts_with(prefix)) return {"call", say(id)};
  }
  return {"call", std::string(opcode)};
}

struct Waiting {
  Warp* warp;
  const Group* group;
};

std::vector<Waiting> waiting_at(Block& block, size_t number) {
  std::vector<Waiting> all;
  for (Warp& warp : block.warps) {
    for (const Group& group : warp.groups) {
      if (group.state == Group::State::at_barrier && group.barrier == number)
        all.push_back({&warp, &group});
    }
  }
  return all;
}

bool is_aligned(const Waiting& one) {
  return (program_of(*one.warp).code[one.group->waits_at].flags & Instruction::kAligned) != 0;
}

/// Where most threads wait; the first such place where several are equal.
uint32_t usual_place(const std::vector<Waiting>& waiting) {
  std::map<uint32_t, uint32_t> threads;
  for (const Waiting& one : waiting) threads[one.group->waits_at] += lanes_in(one.group->mask);
  const auto most =
      std::max_element(threads.begin(), threads.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;
}

/// Inlined and unrolled code may have one barrier in several places, but never for one warp.
bool is_other_barrier(const Waiting& one, uint32_t usual) {
  const LoadedModule& module = *one.warp->worker->launch->module;
  const uint32_t here = one.group->waits_at;
  if (here == usual) return false;
  const bool warp_at_usual =
      std::any_of(one.warp->groups.begin(), one.warp->groups.end(),
                  [&](const Group& group) { return group.waits_at == usual; });
  return warp_at_usual || module.line_of(here) != module.line_of(usual) ||
         module.file_of(here) != module.file_of(usual);
}

void check_same_place(const std::vector<Waiting>& waiting) {
  const uint32_t usual = usual_place(waiting);
  uint32_t at_usual = 0;
  for (const Waiting& one : waiting)
    at_usual += one.group->waits_at == usual ? lanes_in(one.group->mask) : 0;
  for (const Waiting& one : waiting) {
    if (!is_other_barrier(one, usual)) continue;
    const LoadedModule& module = *one.warp->worker->launch->module;
    const uint32_t here = one.group->waits_at;
    const Instruction& barrier = module.program.code[here];
    if (counted_with_known(*one.warp, barrier, kDivergentBarrier, usual, one.group->mask)) continue;
    report_fault(*one.warp, barrier, LaunchStatus::ok, kDivergentBarrier, usual, one.group->mask,
                 say("sync.other_barrier",
                     {{"threads", at_usual}, {"place", line_of(module, usual, here)}}));
  }
}

void check_whole_warps(const std::vector<Waiting>& waiting) {
  for (const Waiting& one : waiting) {
    uint32_t here = 0;
    for (const Waiting& other : waiting) {
      if (other.warp == one.warp) here |= other.group->mask;
    }
    if (here == one.warp->live) continue;
    const Instruction& barrier = program_of(*one.warp).code[one.group->waits_at];
    if (counted_with_known(*one.warp, barrier, kPartOfWarp, 0, one.group->mask)) continue;
    report_fault(*one.warp, barrier, LaunchStatus::ok, kPartOfWarp, 0, one.group->mask,
                 say("sync.part_of_warp", {{"lanes", lanes_in_words(one.warp->live & ~here)}}));
  }
}

}  // namespace

void check_opening(Block& block, size_t number) {
  if (!block.worker->launch->options->check.sync) return;
  const std::vector<Waiting> waiting = waiting_at(block, number);
  if (waiting.empty() || !std::all_of(waiting.begin(), waiting.end(), is_aligned)) return;
  // Barriers with a count are for warps with different tasks, in different places.
  block.barriers[number].expected == 0 ? check_same_place(waiting) : check_whole_warps(waiting);
}

void check_barrier_count(Warp& warp, const Instruction& instruction, uint32_t expected) {
  if (!is_checked(warp)) return;
  const auto size = static_cast<uint32_t>(warp.block->warps.size()) * kWarpSize;
  if (expected % kWarpSize == 0 && expected <= size) return;
  if (counted_with_known(warp, instruction, kBadCount, 0, warp.mask)) return;
  report_fault(
      warp, instruction, LaunchStatus::ok, kBadCount, 0, warp.mask,
      expected % kWarpSize != 0
          ? say("sync.uneven_count", {{"threads", expected}})
          : say("sync.large_count", {{"threads", expected}, {"block", warp.block->threads}}));
}

void check_own_mask(Warp& warp, const Instruction& instruction, const uint32_t* named) {
  if (!is_checked(warp)) return;
  uint32_t outside = 0;
  for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
    const int lane = first_lane(mask);
    if ((named[lane] >> lane & 1) == 0) outside |= 1u << lane;
  }
  if (outside == 0 || counted_with_known(warp, instruction, kNotInMask, 0, outside)) return;
  report_fault(warp, instruction, LaunchStatus::ok, kNotInMask, 0, outside,
               say("sync.own_mask", {call_of(program_of(warp).opcodes[instruction.pc]),
                                     {"mask", fmt::format("0x{:08x}", named[first_lane(outside)])},
                                     {"lanes", lanes_in_words(1u << first_lane(outside))}}));
}

void report_idle_source(Warp& warp, const Instruction& shuffle, int lane, int source,
                        IdleLane why) {
  const uint32_t lanes = 1u << lane;
  if (counted_with_known(warp, shuffle, kIdleSource, 0, lanes)) return;
  const char* const reason = why == IdleLane::not_named ? "idle.not_named"
                             : why == IdleLane::ended   ? "idle.ended"
                                                        : "idle.beyond";
  report_fault(warp, shuffle, LaunchStatus::ok, kIdleSource, 0, lanes,
               say("sync.idle_source", {{"lane", source}, {"why", say(reason)}}));
}

void report_members_missing(Warp& warp, const Group& group) {
  if (!is_checked(warp)) return;
  const LoadedModule& module = *warp.worker->launch->module;
  const uint32_t missing = group.waits_for & warp.live & ~group.mask;
  const uint32_t seen_at = visible_pc(group.frame, group.waits_at);
  std::vector<Sentence> waits;
  for (const Group& other : warp.groups) {
    if ((other.mask & missing) == 0 || other.state == Group::State::ready) continue;
    waits.push_back(
        say("waits.lanes",
            {{"lanes", lanes_in_words(other.mask & missing)},
             {"place", line_of(module, visible_pc(other.frame, other.waits_at), seen_at)}}));
  }
  const Filling call = call_of(module.program.opcodes[group.waits_at]);
  report_fault(warp, module.program.code[seen_at], LaunchStatus::ok, kNeverCome, 0, group.mask,
               waits.empty() ? say("sync.never_come", {call})
                             : say("sync.never_come_but", {call, listed("waits", waits, ", ")}));
}

void report_deadlock(Block& block) {
  const LoadedModule& module = *block.worker->launch->module;
  std::map<uint32_t, uint32_t> waiting;
  Warp* first = nullptr;
  for (Warp& warp : block.warps) {
    if (first == nullptr && !warp.groups.empty()) first = &warp;
    for (const Group& group : warp.groups)
      waiting[visible_pc(group.frame, group.waits_at)] += lanes_in(group.mask);
  }
  if (first == nullptr) return;
  const Group& group = first->groups.front();
  const uint32_t seen_at = visible_pc(group.frame, group.waits_at);
  std::vector<Sentence> waits;
  for (const auto& [pc, threads] : waiting) {
    waits.push_back(
        say("waits.threads", {{"threads", threads}, {"place", line_of(module, pc, seen_at)}}));
  }
  report_fault(*first, module.program.code[seen_at], LaunchStatus::deadlock, kStuck, 0, group.mask,
               say("sync.deadlock", {listed("waits", waits, "; ")}));
}

}  // namespace warpgrade::emulator
