// SPDX-License-Identifier: MIT
// What the memory gives: a plain copy, 16 bytes a thread, that moves as many bytes as the sum of two
// vectors does. 12 bytes an element are 1.5 floats read and 1.5 written: all of a goes to c, and half
// of b to its other half. All else is done as for a sum, so that only kernels differ.
#include "vecadd.h"

__global__ void copy_quads(float4* c, const float4* a, float4* b, size_t quads) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x, half = quads / 2;
  if (i < quads) {
    c[i] = a[i];
  } else if (i < quads + half) {
    b[i - quads + half] = b[i - quads];
  }
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float), quads = bytes / sizeof(float4);
  float4 *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMalloc(&device_c, bytes);
  cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
  const unsigned blocks =
      static_cast<unsigned>((quads + quads / 2 + threads_per_block - 1) / threads_per_block);
  if (blocks > 0) copy_quads<<<blocks, threads_per_block>>>(device_c, device_a, device_b, quads);
  cudaMemcpy(c, device_c, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
  return cudaGetLastError();
}
