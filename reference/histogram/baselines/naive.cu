// SPDX-License-Identifier: MIT
// What histogram_shared is compared with: each byte counted straight in global memory, in its place.
#include "histogram.h"

static __global__ void count(unsigned int* counts, const unsigned char* data, size_t size) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < size; i += stride)
    atomicAdd(&counts[data[i]], 1u);
}

float histogram_shared(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  cudaDeviceProp properties;
  int device = 0;
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&properties, device);
  unsigned int* device_counts = nullptr;
  unsigned char* device_data = nullptr;
  cudaMalloc(&device_counts, kBins * sizeof(unsigned int));
  cudaMalloc(&device_data, size);
  cudaMemset(device_counts, 0, kBins * sizeof(unsigned int));
  cudaMemcpy(device_data, data, size, cudaMemcpyHostToDevice);
  count<<<2 * properties.multiProcessorCount, threads>>>(device_counts, device_data, size);
  cudaMemcpy(counts, device_counts, kBins * sizeof(unsigned int), cudaMemcpyDeviceToHost);
  cudaFree(device_counts);
  cudaFree(device_data);
  return 0.0f;
}

float histogram_global(unsigned int*, const unsigned char*, size_t, int) { return 0.0f; }
bool histogram_is_right(const unsigned int*, const unsigned char*, size_t) { return false; }
