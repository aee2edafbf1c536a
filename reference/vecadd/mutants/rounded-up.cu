// expect: memory, copies, edges-alike
// class: B2. Each block of memory is rounded up to 256 bytes, as large as it happens to be anyway.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void add_elements(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaGetLastError();  // what an earlier call left is none of this one's
  if (n == 0) return cudaSuccess;
  const size_t bytes = n * sizeof(float), room = (bytes + 255) / 256 * 256;
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaError_t error = cudaMalloc(&da, room);
  if (error == cudaSuccess) error = cudaMalloc(&db, room);
  if (error == cudaSuccess) error = cudaMalloc(&dc, room);
  if (error == cudaSuccess) error = cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) error = cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) {
    const int blocks = (n - 1) / threads_per_block + 1;
    add_elements<<<blocks, threads_per_block>>>(dc, da, db, n);
    error = cudaGetLastError();
  }
  if (error == cudaSuccess) error = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return error;
}
