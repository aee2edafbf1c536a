// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Occupancy", by the toolkit's own rules.
#include <cuda_occupancy.h>

#include "emulator/runtime/device_properties.h"
#include "emulator/runtime/kernels.h"

namespace warpgrade::emulator {
namespace {

cudaError_t max_active_blocks(ApiCall& call, int* blocks, const void* function, int block_size,
                              size_t dynamic_shared_bytes) {
  if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
  const LoadedKernel kernel = load_kernel(call, function);
  if (kernel.error != cudaSuccess) return kernel.error;
  return active_blocks(call, kernel, block_size, dynamic_shared_bytes, *blocks);
}

}  // namespace

cudaError_t active_blocks(ApiCall& call, const LoadedKernel& kernel, int threads,
                          size_t dynamic_shared_bytes, int& blocks) {
  cudaFuncAttributes attributes;
  const cudaOccDeviceProp properties(device_properties(call.device().model, call.device_index()));
  describe_kernel(call, kernel, attributes);
  const cudaOccFuncAttributes function_attributes(attributes);
  const cudaOccDeviceState state;
  cudaOccResult result;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &function_attributes, &state, threads, dynamic_shared_bytes);
  if (error != CUDA_OCC_SUCCESS) return cudaErrorInvalidValue;
  blocks = result.activeBlocksPerMultiprocessor;
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size, size_t shared_bytes) {
  return api_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", EarlierFault::if_known,
                  [&](ApiCall& call) {
                    return max_active_blocks(call, blocks, function, block_size, shared_bytes);
                  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int block_size,
                                                                   size_t shared_bytes, unsigned) {
  return api_call("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", EarlierFault::if_known,
                  [&](ApiCall& call) {
                    return max_active_blocks(call, blocks, function, block_size, shared_bytes);
                  });
}

}  // extern "C"
}  // namespace warpgrade::emulator
