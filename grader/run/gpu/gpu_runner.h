// SPDX-License-Identifier: MIT
#pragma once

#include "run/gpu/gpu.h"
#include "run/runner.h"

namespace warpgrade {

/// Files that programs on a GPU need, beside their own.
struct GpuTools {
  fs::path cuda_libraries;  ///< the toolkit's folder of libcudart.so.13
  fs::path cupti;           ///< its libcupti.so.13
  fs::path tracer;          ///< our libwarpgrade-trace.so
  fs::path probe;           ///< our gpu-probe
  std::vector<fs::path> driver_folders;
};

/// The toolkit's libcupti.so.13; empty where it has none.
fs::path find_cupti(const fs::path& toolkit);

/// Looks in the toolkit; `tracer` and `probe` are ours. The Error names what is missing, and the remedy.
Result<GpuTools> find_gpu_tools(const fs::path& toolkit, const fs::path& tracer,
                                const fs::path& probe, const std::vector<fs::path>& driver_folders);

/// The same tools with ours copied to `folder`, which any user may enter.
Result<GpuTools> copy_tools(GpuTools tools, const fs::path& folder);

/// Why the GPU does not compute for programs in this sandbox; empty where it does. Takes a second or so.
std::string gpu_trouble(const Sandbox& sandbox, const GpuTools& tools, const Gpu& gpu);

/// A program of ours that computes on the GPU, under the trace as a graded one would be. Its trace goes to trace.jsonl
/// in `log`, a folder that it may write.
Command traced_check(const GpuTools& tools, const Gpu& gpu, const fs::path& log);

/// Runs programs on one GPU, which the caller has leased: plain runs are traced, repetitions are timed. What the machine
/// is to blame for is kSystemError; RunResult::gpu_trouble says when the GPU should be set aside.
class GpuRunner final : public Runner {
 public:
  /// `trusted` asks the driver who else uses the GPU. Both must outlive the runner.
  GpuRunner(const Sandbox& sandbox, const Sandbox& trusted, GpuTools tools, Gpu gpu)
      : sandbox_(sandbox), trusted_(trusted), tools_(std::move(tools)), gpu_(std::move(gpu)) {}

  std::unique_ptr<ProgramRuns> open(const ProgramPlace& place) const override;

 private:
  const Sandbox& sandbox_;
  const Sandbox& trusted_;
  GpuTools tools_;
  Gpu gpu_;
};

}  // namespace warpgrade
