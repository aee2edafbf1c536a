// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>

#include "emulator/exec/worker.h"

namespace warpgrade::emulator {

Dim3 thread_index(const Dim3& block, uint32_t linear) {
  return {linear % block.x, linear / block.x % block.y, linear / block.x / block.y};
}

namespace {

TouchedAllocation& touched(Worker& worker, const Allocation& allocation) {
  const auto found =
      std::find_if(worker.touched.begin(), worker.touched.end(),
                   [&](const TouchedAllocation& each) { return each.ptr == allocation.begin; });
  if (found != worker.touched.end()) return *found;
  TouchedAllocation first;
  first.ptr = allocation.begin;
  return worker.touched.emplace_back(first);
}

bool contains(const FunctionCode& function, uint32_t pc) {
  return pc - function.first < function.count;
}

/// The frame in which some lanes stand at `pc`; null where none is known.
const Frame* frame_at(const Warp& warp, uint32_t pc) {
  if (warp.frame != nullptr && contains(*warp.frame->function, pc)) return warp.frame;
  for (const Group& group : warp.groups) {
    if (group.frame != nullptr && contains(*group.frame->function, pc)) return group.frame;
  }
  return nullptr;
}

}  // namespace

uint32_t visible_pc(const Warp& warp, uint32_t pc) { return visible_pc(frame_at(warp, pc), pc); }

uint32_t visible_pc(const Frame* frame, uint32_t pc) {
  for (; frame != nullptr && frame->caller != nullptr && frame->function->is_of_toolkit;
       frame = frame->caller)
    pc = frame->return_pc - 1;
  return pc;
}

void note_touched(Worker& worker, const Allocation& allocation, bool write, bool padding) {
  TouchedAllocation& found = touched(worker, allocation);
  (write ? found.written : found.read) = true;
  if (padding) (write ? found.padding_written : found.padding_read) = true;
}

void note_atomic_updates(Warp& warp, uint64_t address, uint64_t count) {
  Worker& worker = *warp.worker;
  const Allocation* const allocation = worker.launch->memory->find(address);
  if (allocation != nullptr) touched(worker, *allocation).atomic_updates += count;
}

void note_writers(Warp& warp, const Allocation& allocation, uint32_t lanes) {
  auto known = std::find_if(warp.wrote.begin(), warp.wrote.end(),
                            [&](const auto& each) { return each.first == allocation.begin; });
  if (known == warp.wrote.end()) known = warp.wrote.insert(warp.wrote.end(), {allocation.begin, 0});
  const uint32_t more = lanes & ~known->second;
  if (more == 0) return;
  known->second |= more;
  touched(*warp.worker, allocation).writers += static_cast<uint64_t>(std::popcount(more));
}

bool counted_with_known(Warp& warp, const Instruction& instruction, int kind, uint64_t object,
                        uint32_t lanes) {
  auto& faults = warp.worker->faults;
  const auto known = faults.find(FaultKey{visible_pc(warp, instruction.pc), kind, object});
  if (known == faults.end()) return false;
  known->second.count += static_cast<uint64_t>(std::popcount(lanes));
  return true;
}

Fault& report_fault(Warp& warp, const Instruction& instruction, LaunchStatus status, int kind,
                    uint64_t object, uint32_t lanes, const Sentence& message) {
  Worker& worker = *warp.worker;
  Fault fault{message, status, warp.block->linear_index,
              warp.index * kWarpSize + static_cast<uint32_t>(first_lane(lanes)), 0};
  const auto [found, is_new] = worker.faults.try_emplace(
      FaultKey{visible_pc(warp, instruction.pc), kind, object}, std::move(fault));
  found->second.count += static_cast<uint64_t>(std::popcount(lanes));
  if (worker.status == LaunchStatus::ok) worker.status = status;
  return found->second;
}

}  // namespace warpgrade::emulator
