// SPDX-License-Identifier: MIT
// Right, but each thread reads memory that nothing wrote, which the checkers find.
#include "vecadd.h"

__global__ void add_and_read_what_nobody_wrote(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = reinterpret_cast<volatile float*>(c)[i] == 12345.0f ? 0.0f : a[i] + b[i];
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
    add_and_read_what_nobody_wrote<<<(n + threads_per_block - 1) / threads_per_block,
                                     threads_per_block>>>(dc, da, db, n);
    status = cudaGetLastError();
    AFTER_THE_KERNEL(dc, da, db, n);
  }
  if (status == cudaSuccess) status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
