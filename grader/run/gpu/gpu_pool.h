// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "run/gpu/gpu.h"
#include "run/gpu/gpu_lock.h"

namespace warpgrade {

class GpuPool;

/// One job's hold on one GPU, given back at the end of this object. A job that has one must not ask for another.
class GpuLease {
 public:
  GpuLease(GpuPool& pool, const Gpu& gpu, GpuLock lock)
      : pool_(&pool), gpu_(&gpu), lock_(std::move(lock)) {}
  GpuLease(GpuLease&& other) noexcept;
  GpuLease& operator=(GpuLease&&) = delete;
  ~GpuLease();

  const Gpu& gpu() const { return *gpu_; }

 private:
  GpuPool* pool_;
  const Gpu* gpu_;
  GpuLock lock_;
};

/// Hands out a machine's GPUs to the jobs of a batch, first come, first served, and heeds the graders of other
/// processes. May be used from many threads; must outlive its leases.
class GpuPool {
 public:
  static constexpr int kMostShared = 4;

  /// kMostShared; twice as many where all GPUs have the memory, since starting programs is what takes long.
  static int most_shared_of(const std::vector<Gpu>& gpus);

  /// `locks` is the folder of the GPUs' locks. At most `most_shared` jobs use one GPU at once.
  GpuPool(std::vector<Gpu> gpus, fs::path locks, Clock& clock, int most_shared = kMostShared);

  /// Waits for a GPU: one with the fewest jobs, or, where kExclusive, with none. An Error says that none became free
  /// within `patience`, or that none is left.
  Result<GpuLease> take(GpuUse use, std::chrono::milliseconds patience);

  /// The GPU is not handed out again; those who have it may finish.
  void set_aside(const std::string& uuid, const std::string& why);

  /// Why each GPU that was set aside was, by UUID.
  std::map<std::string, std::string> set_aside() const;
  const std::vector<Gpu>& gpus() const { return gpus_; }

 private:
  friend class GpuLease;
  class Turn;

  std::vector<size_t> candidates() const;
  GpuUse use_of(const Gpu& gpu, GpuUse wanted) const;
  std::optional<GpuLease> try_candidates(std::map<size_t, GpuLockRequest>& requests, GpuUse use,
                                         Error& failure);
  void give_back(const Gpu& gpu);

  const std::vector<Gpu> gpus_;
  const fs::path locks_;
  Clock& clock_;
  const int most_shared_;
  mutable std::mutex mutex_;
  std::vector<int> jobs_;  ///< On each GPU.
  std::map<std::string, std::string> set_aside_;
  std::deque<const Turn*> queue_;
};

}  // namespace warpgrade
