// SPDX-License-Identifier: MIT
#include "observe/injection/launch_request.h"

#include <cuda_runtime_api.h>
#include <cupti.h>

namespace warpgrade::injection {
namespace {

template <class Params>
LaunchRequest plain(const Params& p) {
  LaunchRequest request;
  request.function = p.f;
  request.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  request.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  request.dynamic_shared_bytes = p.sharedMemBytes;
  request.stream = p.hStream;
  request.arguments = p.kernelParams;
  if constexpr (requires { p.extra; }) request.extra = p.extra;
  return request;
}

LaunchRequest configured(const cuLaunchKernelEx_params& p) {
  LaunchRequest request;
  request.function = p.f;
  request.arguments = p.kernelParams;
  request.extra = p.extra;
  if (p.config == nullptr) return request;
  request.grid = {p.config->gridDimX, p.config->gridDimY, p.config->gridDimZ};
  request.block = {p.config->blockDimX, p.config->blockDimY, p.config->blockDimZ};
  request.dynamic_shared_bytes = p.config->sharedMemBytes;
  request.stream = p.config->hStream;
  return request;
}

LaunchRequest shaped(const dim3& grid, const dim3& block, size_t shared_bytes,
                     cudaStream_t stream) {
  LaunchRequest request;
  request.grid = {grid.x, grid.y, grid.z};
  request.block = {block.x, block.y, block.z};
  request.dynamic_shared_bytes = shared_bytes;
  request.stream = stream;
  return request;
}

}  // namespace

bool is_driver_launch(const std::string& name) {
  return name == "cuLaunchKernel" || name == "cuLaunchKernelEx" ||
         name == "cuLaunchCooperativeKernel";
}

LaunchRequest driver_launch(const std::string& name, const void* params) {
  if (name == "cuLaunchKernelEx")
    return configured(*static_cast<const cuLaunchKernelEx_params*>(params));
  if (name == "cuLaunchKernel") return plain(*static_cast<const cuLaunchKernel_params*>(params));
  return plain(*static_cast<const cuLaunchCooperativeKernel_params*>(params));
}

bool is_runtime_launch(const std::string& name) {
  return name == "cudaLaunchKernel" || name == "cudaLaunchKernelExC" ||
         name == "cudaLaunchCooperativeKernel";
}

LaunchRequest runtime_launch(const std::string& name, const void* params) {
  if (name == "cudaLaunchKernelExC") {
    const auto& p = *static_cast<const cudaLaunchKernelExC_v11060_params*>(params);
    if (p.config == nullptr) return {};
    return shaped(p.config->gridDim, p.config->blockDim, p.config->dynamicSmemBytes,
                  p.config->stream);
  }
  if (name == "cudaLaunchKernel") {
    const auto& p = *static_cast<const cudaLaunchKernel_v7000_params*>(params);
    return shaped(p.gridDim, p.blockDim, p.sharedMem, p.stream);
  }
  const auto& p = *static_cast<const cudaLaunchCooperativeKernel_v9000_params*>(params);
  return shaped(p.gridDim, p.blockDim, p.sharedMem, p.stream);
}

}  // namespace warpgrade::injection
