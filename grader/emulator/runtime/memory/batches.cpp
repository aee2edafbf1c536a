// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Memory Management": several copies in one call.
#include "emulator/runtime/memory/copies.h"

namespace warpgrade::emulator {
extern "C" {

cudaError_t cudaMemcpyBatchAsync(void* const* targets, const void* const* sources,
                                 const size_t* sizes, size_t count, cudaMemcpyAttributes*, size_t*,
                                 size_t, cudaStream_t stream) {
  return api_call("cudaMemcpyBatchAsync", EarlierFault::if_known, [&](ApiCall& call) {
    if (targets == nullptr || sources == nullptr || sizes == nullptr || count == 0)
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      const cudaError_t error =
          copy(call, linear(targets[i]), linear(sources[i]), {sizes[i]}, cudaMemcpyDefault, stream);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
