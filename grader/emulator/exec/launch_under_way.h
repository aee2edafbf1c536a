// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "emulator/exec/launch.h"
#include "emulator/exec/worker_pool.h"

namespace warpgrade::emulator {

/// A launch that may stop halfway, where each block that it has waits for what something else writes.
class LaunchUnderWay {
 public:
  /// All outlive it. The caller has checked the launch configuration against the device.
  LaunchUnderWay(const LaunchRequest& request, const LaunchOptions& options, DeviceMemory& memory,
                 WorkerPool& pool);
  ~LaunchUnderWay();
  LaunchUnderWay(const LaunchUnderWay&) = delete;
  LaunchUnderWay& operator=(const LaunchUnderWay&) = delete;

  /// Goes on, to the end where it may not pause. Whether it has ended.
  bool run(bool may_pause);
  /// Whether the latest run() did more than look again at what it waits for.
  bool went_on() const { return went_on_; }
  bool has_ended() const;
  /// Where one of its blocks is; nothing where it has none.
  std::optional<Finding> place() const;
  /// What it did. Once, at its end.
  LaunchResult result();

 private:
  struct State;
  void take_turns_of(size_t index, bool may_pause);
  void forget_pending_loads();

  std::unique_ptr<State> state_;
  bool went_on_ = false;
};

}  // namespace warpgrade::emulator
