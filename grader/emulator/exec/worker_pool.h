// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "emulator/exec/block.h"
#include "emulator/exec/launch.h"
#include "emulator/exec/lookout.h"

namespace warpgrade::emulator {

/// Threads that wait for the next launch, and the memory of a block that each keeps for it: in a
/// launch of a millisecond, starting threads and touching fresh memory would weigh.
class WorkerPool {
 public:
  WorkerPool();
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Calls task(0) to task(count - 1) at the same time, the first on the caller's thread, and waits
  /// for all of them. One call at a time.
  void run(unsigned count, const std::function<void(unsigned)>& task);
  /// What the worker of that number keeps: no block or one. Nothing in it says what it was used for.
  std::list<Block>& kept(unsigned index);
  /// Keeps one of the blocks for the next launch, unless it has grown large.
  void keep(unsigned index, std::list<Block>& blocks);
  /// Where another thread asks for the launch that runs on the pool.
  Lookout& lookout() { return lookout_; }

 private:
  struct State;
  void start_threads(unsigned count);
  static void serve(State& state, unsigned index, uint64_t seen);

  std::unique_ptr<State> state_;
  std::vector<std::thread> threads_;
  std::list<std::list<Block>> blocks_;
  int process_;
  Lookout lookout_;
};

/// As launch() without a pool, which starts threads for this one launch.
LaunchResult launch(const LaunchRequest& request, const LaunchOptions& options,
                    DeviceMemory& memory, WorkerPool& pool);

}  // namespace warpgrade::emulator
