// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "observe/timing/protocol.h"
#include "sandbox/descriptor.h"

namespace warpgrade {

/// Has gpu-probe watch one GPU as long as this object lives: a process of its own, since a driver may
/// hang whoever asks it. Where it cannot be started, or hangs, there are just no readings.
class ProbeWatch final : public GpuWatch {
 public:
  ProbeWatch(const fs::path& probe, const std::string& gpu_uuid);
  ~ProbeWatch() override;
  ProbeWatch(const ProbeWatch&) = delete;
  ProbeWatch& operator=(const ProbeWatch&) = delete;

  std::vector<ClockReading> readings() override;

 private:
  void read_all();

  pid_t process_ = -1;
  Descriptor keep_going_;  ///< the probe ends when its standard input is closed
  Descriptor lines_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::string text_;
  std::thread reader_;
};

}  // namespace warpgrade
