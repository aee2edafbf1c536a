// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "emulator/checkers/access_map.h"
#include "emulator/checkers/watch.h"
#include "emulator/counters/access_memo.h"
#include "emulator/exec/block.h"
#include "emulator/model/work_spread.h"

namespace warpgrade::emulator {

class Footprint;

/// What every worker of one launch sees. Constant while the launch runs, but for the atomics.
struct LaunchContext {
  const LoadedModule* module = nullptr;
  const FunctionCode* entry = nullptr;
  const LaunchRequest* request = nullptr;
  const LaunchOptions* options = nullptr;
  const DeviceMemory* memory = nullptr;
  uint32_t shared_bytes = 0;           ///< of one block's shared memory, red zones included
  std::vector<SharedVariable> shared;  ///< static arrays and the dynamic one, by offset
  uint32_t reserved_shared = 0;        ///< where cooperative groups' part of it begins, or 0
  uint64_t blocks = 0;
  size_t workers = 1;
  std::unique_ptr<LaunchWatch> watch;  ///< null where neither init nor race is checked
  /// Away from what every access of a block reads.
  alignas(64) std::atomic<uint64_t> next_block{0};
  std::atomic<uint64_t> instructions{0};  ///< warp instructions of all workers so far
  std::atomic<bool> stop{false};
};

/// Merges what several threads did wrong at the same place.
struct FaultKey {
  uint32_t pc;
  int kind;
  uint64_t object;
  auto operator<=>(const FaultKey&) const = default;
};
/// Where what a thread does shows in its program: a call, where the instruction stands in a function of the toolkit.
uint32_t visible_pc(const Warp& warp, uint32_t pc);
/// The same for a thread in that frame.
uint32_t visible_pc(const Frame* frame, uint32_t pc);
struct Fault {
  Sentence message;
  LaunchStatus status = LaunchStatus::ok;
  uint64_t first_block = 0;
  uint32_t first_thread = 0;  ///< linear in its block
  uint64_t count = 0;
  std::optional<RaceAccesses> race = {};
  int other_line = 0;  ///< as Finding's
};

/// The atomic operation that a lane is about to perform.
struct AtomicInHand {
  /// Whether it leaves the bytes at an address as they are. Null where there is no such operation.
  bool (*keeps)(const uint8_t* at, const void* b, const void* c) = nullptr;
  const void *b = nullptr, *c = nullptr;
};

/// One thread of the emulator: runs blocks and keeps its own counters, so that nothing is shared in
/// the hot loop.
struct alignas(64) Worker {
  LaunchContext* launch = nullptr;
  std::vector<ExecutionCount> counts;  ///< per instruction of the program
  std::vector<RareCount> rare;         ///< likewise
  std::vector<AccessMemo> memos;       ///< per memory instruction
  std::shared_ptr<Footprint> sample;   ///< null: no time is modelled
  WorkSpread spread;                   ///< where time is modelled
  Footprint* footprint = nullptr;      ///< the sample, while one of its blocks runs
  std::vector<TouchedAllocation> touched;
  std::map<FaultKey, Fault> faults;
  AccessLog access_log;
  const uint8_t* stored = nullptr;  ///< what the lane in hand is about to store, where known
  AtomicInHand atomic;
  uint32_t swapped = ~uint32_t{0};  ///< bits of a word that the compare-and-swap in hand may change
  LaunchStatus status = LaunchStatus::ok;
  bool gives_way = true;                ///< a warp that waits for memory ends its slice
  bool others_wait = false;             ///< blocks other than the one that runs do
  std::shared_ptr<AccessMap> accesses;  ///< null unless LaunchOptions::note_accesses
  std::shared_ptr<AccessMap> early;     ///< null unless LaunchOptions::note_early_accesses
  bool launches_dependents = false;     ///< a thread has executed griddepcontrol.launch_dependents
  std::unordered_map<uint64_t, uint64_t> block_atomics;  ///< of threads on global memory, by block
};

/// Notes that the current instruction did something wrong; `lanes` are the threads that did it. Returns the note.
Fault& report_fault(Warp& warp, const Instruction& instruction, LaunchStatus status, int kind,
                    uint64_t object, uint32_t lanes, const Sentence& message);
/// Counts the lanes to a fault that this worker has noted already; false where it has not. Saves a kernel
/// of which every thread goes astray most of its messages.
bool counted_with_known(Warp& warp, const Instruction& instruction, int kind, uint64_t object,
                        uint32_t lanes);
Dim3 thread_index(const Dim3& block, uint32_t linear);
void note_touched(Worker& worker, const Allocation& allocation, bool write, bool padding);
/// So many atomics changed what was at the global address.
void note_atomic_updates(Warp& warp, uint64_t address, uint64_t count);
/// The lanes write to the allocation.
void note_writers(Warp& warp, const Allocation& allocation, uint32_t lanes);

}  // namespace warpgrade::emulator
