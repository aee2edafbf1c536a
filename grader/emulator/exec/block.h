// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/checkers/watch.h"
#include "emulator/exec/warp.h"

namespace warpgrade::emulator {

/// A hardware barrier (PTX ISA, bar): threads count, not warps, as on Volta and later.
struct Barrier {
  uint32_t arrived = 0;
  uint32_t expected = 0;  ///< 0: every thread of the block that has not exited
  uint32_t reduction_and = 1, reduction_or = 0, reduction_count = 0;
};

constexpr int kHardwareBarriers = 16;
/// One more, which a block's threads wait at for its cluster (PTX ISA, barrier.cluster).
constexpr int kClusterBarrier = kHardwareBarriers;
constexpr int kBarriers = kHardwareBarriers + 1;

struct Cluster;

/// A thread block that is resident on an emulated multiprocessor: plain data, so it can be put
/// aside and resumed.
struct Block {
  uint64_t linear_index = 0;
  Dim3 index{0, 0, 0};
  Worker* worker = nullptr;
  uint32_t threads = 0;
  uint32_t live_threads = 0;
  uint64_t rounds = 0;  ///< how often its warps had their turn
  bool waits = false;   ///< some of its threads did nothing but look, in a waiting loop
  bool looks = false;   ///< its turn ends behind a look at what another block may have written
  bool has_waited_for_grids = false;  ///< a thread of it has executed griddepcontrol.wait
  uint64_t after_fault = 0;  ///< instructions since its worker met what ends the kernel on a device
  std::vector<Warp> warps;
  std::vector<uint8_t> shared;
  std::array<Barrier, kBarriers> barriers;
  std::unique_ptr<BlockWatch> watch;  ///< null where LaunchContext::watch is
  std::shared_ptr<Cluster> cluster;   ///< null where its cluster is the block alone
};

/// One that waits could run on, but only another block can end its wait.
enum class BlockState { finished, runnable, waiting, deadlocked, stopped };

/// Prepares `block` for the block number `linear_index` of the worker's launch, reusing what it
/// holds.
void start_block(Block& block, Worker& worker, uint64_t linear_index);
/// Runs until the block ends, is stuck, or has used up its slice of instructions; adds those of all
/// its warps to `executed`.
BlockState run_block(Block& block, uint64_t slice, uint64_t& executed);
/// Releases barriers that all their threads have reached; true where one was released.
bool release_barriers(Block& block);
/// Where the launch's kernels have to do without shared memory: it holds zeros, whatever was left there.
void forget_shared(Block& block);
/// Lets the threads go on that wait at the barrier of that number.
void release_barrier(Block& block, size_t number);

}  // namespace warpgrade::emulator
