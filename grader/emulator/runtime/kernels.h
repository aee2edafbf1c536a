// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/runtime/api.h"

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

/// What cudaFuncGetAttributes tells.
void describe_kernel(ApiCall& call, const LoadedKernel& kernel, cudaFuncAttributes& attributes);

/// The module of the current device, or null with `error` set and the user told why.
const LoadedModule* load_image(ApiCall& call, DeviceImage& image, cudaError_t& error);

/// Runs a kernel and writes its "launch" record; the call itself leaves none.
cudaError_t launch_kernel(ApiCall& call, const void* function, dim3 grid, dim3 block,
                          void** arguments, size_t shared_bytes, cudaStream_t stream);

}  // namespace warpgrade::emulator
