// SPDX-License-Identifier: MIT
#include "pipeline/gpu_side.h"

#include "pipeline/probe_watch.h"

namespace warpgrade {
GpuSide::GpuSide(std::vector<Gpu> gpus, GpuTools tools)
    : tools_(std::move(tools)), pool_(gpus, kGpuLocks, clock_, GpuPool::most_shared_of(gpus)) {}

Result<std::unique_ptr<GpuSide>> GpuSide::open(const Installation& installation,
                                               std::vector<Gpu> gpus, const fs::path& folder,
                                               const Batch& batch) {
  Result<GpuTools> tools = copy_tools(installation.gpu->tools, folder);
  if (!tools) return tools.error();
  std::unique_ptr<GpuSide> side(new GpuSide(std::move(gpus), std::move(*tools)));
  GpuSide* const self = side.get();
  const auto runner_on = [&installation, self](const Gpu& gpu) -> std::unique_ptr<Runner> {
    return std::make_unique<GpuRunner>(installation.sandbox, installation.trusted, self->tools_,
                                       gpu);
  };
  const auto watch = [self](const Gpu& gpu) -> std::unique_ptr<GpuWatch> {
    return std::make_unique<ProbeWatch>(self->tools_.probe, gpu.uuid);
  };
  side->bench_ = std::make_unique<GpuBench>(batch.rubric, batch.cases, batch.baselines,
                                            GpuServices{self->pool_,
                                                        runner_on,
                                                        watch,
                                                        self->clock_,
                                                        installation.gpu->machine.driver,
                                                        installation.gpu->instruments,
                                                        installation.sandbox,
                                                        {},
                                                        installation.gpu->is_timed},
                                            batch.seed);
  return side;
}

}  // namespace warpgrade
