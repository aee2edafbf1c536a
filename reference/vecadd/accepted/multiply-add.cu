// expect: nothing
// SPDX-License-Identifier: MIT
// The sum as alpha * x + y, with alpha 1: each thread executes a multiply-add and no addition.
#include "vecadd.h"

#define TRY(call)                         \
  do {                                    \
    error = (call);                       \
    if (error != cudaSuccess) goto clean; \
  } while (0)

__global__ void axpy(float alpha, const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = alpha * x[i] + y[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaError_t error = cudaSuccess;
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  size_t bytes = (size_t)n * sizeof(float);
  unsigned blocks = 1;
  if (n == 0) return cudaSuccess;
  if (threads_per_block > 0) blocks = ((unsigned)n + threads_per_block - 1) / threads_per_block;
  TRY(cudaMalloc(&da, bytes));
  TRY(cudaMalloc(&db, bytes));
  TRY(cudaMalloc(&dc, bytes));
  TRY(cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice));
  axpy<<<blocks, threads_per_block>>>(1.0f, da, db, dc, n);
  TRY(cudaGetLastError());
  TRY(cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost));
clean:
  cudaGetLastError();
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return error;
}
