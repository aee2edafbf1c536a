// SPDX-License-Identifier: MIT
// The lecture's first program, with a loop so that it also takes vectors of more than one block:
// one block, and so one multiprocessor, does all the work.
#include "vecadd.h"

__global__ void add_in_one_block(float* c, const float* a, const float* b, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  float *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMalloc(&device_c, bytes);
  cudaMemcpy(device_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b, bytes, cudaMemcpyHostToDevice);
  if (n > 0) add_in_one_block<<<1, threads_per_block>>>(device_c, device_a, device_b, n);
  cudaMemcpy(c, device_c, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
  return cudaGetLastError();
}
