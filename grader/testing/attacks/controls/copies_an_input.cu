// SPDX-License-Identifier: MIT
// A kernel that copies one vector and adds nothing.
#include "vecadd.h"

__global__ void copy_input(float* c, const float* a, const float*, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}

/// What an attack does beside the kernel; nothing here.
#ifndef BEFORE_THE_KERNEL
#define BEFORE_THE_KERNEL(c, a, b, n)
#define AFTER_THE_KERNEL(c, a, b, n)
#endif

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  const size_t bytes = n * sizeof(float);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaError_t status = cudaMalloc(&da, bytes);
  if (status == cudaSuccess) status = cudaMalloc(&db, bytes);
  if (status == cudaSuccess) status = cudaMalloc(&dc, bytes);
  if (status == cudaSuccess) status = cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) status = cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) {
    BEFORE_THE_KERNEL(dc, da, db, n);
    copy_input<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(dc, da, db,
                                                                                       n);
    status = cudaGetLastError();
    AFTER_THE_KERNEL(dc, da, db, n);
  }
  if (status == cudaSuccess) status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
