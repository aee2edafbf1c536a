// expect: edges-alike
// class: B1. The elements behind the last whole block are added in blocks of 32 threads.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void add_elements(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaGetLastError();  // what an earlier call left is none of this one's
  if (n == 0) return cudaSuccess;
  const size_t bytes = n * sizeof(float);
  float *x = nullptr, *y = nullptr, *z = nullptr;
  cudaError_t status = cudaMalloc(&x, bytes);
  if (!status) status = cudaMalloc(&y, bytes);
  if (!status) status = cudaMalloc(&z, bytes);
  if (!status) status = cudaMemcpy(x, a, bytes, cudaMemcpyHostToDevice);
  if (!status) status = cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice);
  if (!status) {
    const int rest = threads_per_block <= 1024 ? n % threads_per_block : 0, whole = n - rest;
    if (whole > 0)
      add_elements<<<(whole - 1) / threads_per_block + 1, threads_per_block>>>(z, x, y, whole);
    if (rest > 0)
      add_elements<<<(rest + 31) / 32, 32>>>(z + whole, x + whole, y + whole, rest);
    status = cudaGetLastError();
  }
  if (!status) status = cudaMemcpy(c, z, bytes, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  return status;
}
