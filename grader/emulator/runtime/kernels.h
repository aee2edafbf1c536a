// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>

#include "emulator/runtime/api.h"
#include "emulator/runtime/program/ptxas.h"

namespace warpgrade::emulator {

/// A kernel as it is on the current device.
struct LoadedKernel {
  Kernel* kernel = nullptr;
  const LoadedModule* module = nullptr;
  const KernelInfo* info = nullptr;
  cudaError_t error = cudaSuccess;  ///< Where it is not success, the rest is not to be used.
};

/// `function` is a host function or a handle. Loads the module at its first use.
LoadedKernel load_kernel(ApiCall& call, const void* function);

/// The most dynamic shared memory that a launch may ask for, in bytes.
size_t dynamic_shared_limit(ApiCall& call, const LoadedKernel& kernel);

/// What ptxas allots to the kernel on the current device. Empty where it cannot be asked.
std::optional<KernelResources> resources_of(ApiCall& call, const LoadedKernel& kernel);

/// What cudaFuncGetAttributes tells.
void describe_kernel(ApiCall& call, const LoadedKernel& kernel, cudaFuncAttributes& attributes);

/// The module of the current device, or null with `error` set and the user told why.
const LoadedModule* load_image(ApiCall& call, DeviceImage& image, cudaError_t& error);

/// What a program says when it launches a kernel.
struct KernelLaunch {
  const void* function = nullptr;
  dim3 grid, block;
  size_t shared_bytes = 0;
  bool cooperative = false;
  bool programmatic =
      false;          ///< It may begin before the kernel ahead of it in its stream has ended.
  dim3 cluster = {};  ///< In blocks; one: the kernel's own, where it has one.
  Conditions* conditions = nullptr;  ///< The launching graph's conditions.
};

/// The shape that the attributes of a launch ask for; one block where they ask for none.
dim3 cluster_of(const cudaLaunchConfig_t& config);

/// Runs a kernel and writes its "launch" record; the call itself leaves none.
cudaError_t launch_kernel(ApiCall& call, const KernelLaunch& wanted, void** arguments,
                          cudaStream_t stream);

/// Adds ncu's launch__ metrics and the theoretical occupancy. Those that rest on a number of
/// registers that ptxas did not give are called estimated__ instead.
void add_launch_metrics(ApiCall& call, const LoadedKernel& kernel, const LaunchRequest& request,
                        std::map<std::string, double>& metrics);

/// How many blocks of the kernel one multiprocessor of the current device holds.
cudaError_t active_blocks(ApiCall& call, const LoadedKernel& kernel, int threads,
                          size_t dynamic_shared_bytes, int& blocks);

}  // namespace warpgrade::emulator
