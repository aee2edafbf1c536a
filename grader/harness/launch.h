// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <tuple>

namespace warpgrade::harness {

/// Launches a kernel that the contract asks of the student, and returns what cudaLaunchKernel returns. `<<<>>>` calls
/// the host function of the kernel's name, which a student's file can define to do anything. CUDA itself finds a kernel
/// by its address, and answers cudaErrorInvalidDeviceFunction where the student defined no kernel.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments... arguments) {
  std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
  return std::apply(
      [&](auto&... each) {
        void* addresses[] = {&each..., nullptr};
        return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, addresses, 0,
                                nullptr);
      },
      values);
}

}  // namespace warpgrade::harness
