// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "sandbox/descriptor.h"

namespace warpgrade {

/// Where the graders of a machine keep the locks of its GPUs, whoever runs them.
constexpr const char* kGpuLocks = "/tmp/warpgrade-gpus";

/// kShared: others may use the GPU too. kExclusive: nobody else, for what is timed.
enum class GpuUse { kShared, kExclusive };

/// A GPU's lock, held until the end of this object or of its process, however that ends. All graders of a machine that
/// use the same folder heed one another.
class GpuLock {
 public:
  GpuLock() = default;
  explicit GpuLock(Descriptor held) : held_(std::move(held)) {}
  explicit operator bool() const { return static_cast<bool>(held_); }

 private:
  Descriptor held_;
};

/// A place in the queue for a GPU's lock: who wants the GPU alone is not kept waiting by ever new ones who share it.
class GpuLockRequest {
 public:
  /// `folder` is made where it is missing, for all users.
  GpuLockRequest(fs::path folder, std::string uuid, GpuUse use)
      : folder_(std::move(folder)), uuid_(std::move(uuid)), use_(use) {}

  /// The lock, or one that is empty where others hold it: then ask again. An Error is the machine's.
  Result<GpuLock> poll();

 private:
  Status open();

  fs::path folder_;
  std::string uuid_;
  GpuUse use_;
  Descriptor gate_, lock_;
  bool has_gate_ = false;
};

/// Waits for a GPU's lock; an empty one where `patience` was over before.
Result<GpuLock> take_gpu_lock(const fs::path& folder, const std::string& uuid, GpuUse use,
                              std::chrono::milliseconds patience, Clock& clock);

}  // namespace warpgrade
