// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "emulator/exec/launch.h"

namespace warpgrade::emulator {

/// Where a launch is: a place that one of its threads has reached.
struct Position {
  Finding place;  ///< kernel, file, line, block and thread; it has no checker and no message
  uint64_t blocks_begun = 0, blocks = 0;
};

/// The launch that runs.
struct RunningLaunch {
  uint64_t number = 0;  ///< 1 for the first
  std::chrono::steady_clock::time_point since;
};

/// Lets another thread ask a running launch where it is. The launch answers between two slices of a block.
class Lookout {
 public:
  /// A launch begins and ends; one at a time.
  void begin();
  void end();
  /// For a worker of the launch, which answers where someone asks.
  bool is_asked() const { return asked_.load(std::memory_order_relaxed); }
  void answer(Position position);

  /// Whoever waited for the launches is gone: they end where they are.
  void dismiss() { dismissed_.store(true, std::memory_order_relaxed); }
  bool is_dismissed() const { return dismissed_.load(std::memory_order_relaxed); }

  /// Nothing where no launch runs.
  std::optional<RunningLaunch> running() const;
  /// Nothing where no launch runs, or none answers within `patience`.
  std::optional<Position> ask(std::chrono::milliseconds patience);

 private:
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::optional<RunningLaunch> running_;
  uint64_t launches_ = 0;
  std::optional<Position> position_;
  std::atomic<bool> asked_{false}, dismissed_{false};
};

}  // namespace warpgrade::emulator
