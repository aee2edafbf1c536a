// expect: out-of-memory, after-out-of-memory, guarded, freed-after-errors
// class: O1. Counts the bytes of a vector in an unsigned.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void add_elements(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  const unsigned bytes = static_cast<unsigned>(n) * 4u;
  float *x = nullptr, *y = nullptr, *z = nullptr;
  cudaError_t status = cudaMalloc(&x, bytes);
  if (!status) status = cudaMalloc(&y, bytes);
  if (!status) status = cudaMalloc(&z, bytes);
  if (!status) status = cudaMemcpy(x, a, bytes, cudaMemcpyHostToDevice);
  if (!status) status = cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice);
  if (!status) {
    add_elements<<<(n - 1) / threads_per_block + 1, threads_per_block>>>(z, x, y, n);
    status = cudaGetLastError();
  }
  if (!status) status = cudaMemcpy(c, z, bytes, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  return status;
}
