// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "pipeline/gpu_bench.h"
#include "pipeline/gpu_choice.h"
#include "pipeline/installation.h"

namespace warpgrade {

/// What a batch shares that is graded on the machine's GPUs as well.
class GpuSide {
 public:
  /// What a GpuBench judges by.
  struct Batch {
    const Rubric& rubric;
    const CaseStore& cases;
    const Baselines& baselines;
    uint64_t seed;
  };

  /// `folder` is for copies of our libraries. All that is referred to must outlive it.
  static Result<std::unique_ptr<GpuSide>> open(const Installation& installation,
                                               std::vector<Gpu> gpus, const fs::path& folder,
                                               const Batch& batch);

  const GpuBench& bench() const { return *bench_; }
  const GpuPool& pool() const { return pool_; }

 private:
  GpuSide(std::vector<Gpu> gpus, GpuTools tools);

  RealClock clock_;
  GpuTools tools_;
  GpuPool pool_;
  std::unique_ptr<GpuBench> bench_;
};

}  // namespace warpgrade
