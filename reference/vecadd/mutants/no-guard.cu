// expect: guarded, edges-added, edges, any-block, edges-alike, current-device
// class: G1. Surplus threads of the last block add what lies behind the vectors.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void add(float* c, const float* a, const float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaGetLastError();  // what an earlier call left is none of this one's
  if (n == 0) return cudaSuccess;
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  const size_t bytes = n * sizeof(float);
  cudaError_t status = cudaMalloc(&da, bytes);
  if (status == cudaSuccess) status = cudaMalloc(&db, bytes);
  if (status == cudaSuccess) status = cudaMalloc(&dc, bytes);
  if (status == cudaSuccess) status = cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) status = cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) {
    add<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(dc, da, db);
    status = cudaGetLastError();
  }
  if (status == cudaSuccess) status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
