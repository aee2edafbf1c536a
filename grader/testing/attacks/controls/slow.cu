// SPDX-License-Identifier: MIT
// Right, and many times slower than a copy: each thread writes its element forty times.
#include "vecadd.h"

__global__ void add_slowly(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 40; ++k)
    if (i < n) reinterpret_cast<volatile float*>(c)[i] = a[i] + b[i];
}

/// What an attack does beside the slow kernel; nothing here.
#ifndef BEFORE_THE_KERNEL
#define BEFORE_THE_KERNEL(c, a, b, n)
#define AFTER_THE_KERNEL(c, a, b, n)
#endif

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  const size_t bytes = n * sizeof(float);
  const int blocks = (n + threads_per_block - 1) / threads_per_block;
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaError_t status = cudaMalloc(&da, bytes);
  if (status == cudaSuccess) status = cudaMalloc(&db, bytes);
  if (status == cudaSuccess) status = cudaMalloc(&dc, bytes);
  if (status == cudaSuccess) status = cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) status = cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) {
    BEFORE_THE_KERNEL(dc, da, db, n);
    add_slowly<<<blocks, threads_per_block>>>(dc, da, db, n);
    status = cudaGetLastError();
    AFTER_THE_KERNEL(dc, da, db, n);
  }
  if (status == cudaSuccess) status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
