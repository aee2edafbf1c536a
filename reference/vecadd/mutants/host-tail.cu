// expect: edges, any-block
// class: H1. The grid rounds down, and the host adds what the last block would have.
// SPDX-License-Identifier: MIT
#include "vecadd.h"
__global__ void add(float* c, const float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int t) {
  cudaGetLastError();  // what an earlier call left is none of this one's
  if (n == 0) return cudaSuccess;
  size_t bytes = n * sizeof(float);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaError_t e = cudaMalloc(&da, bytes);
  if (!e) e = cudaMalloc(&db, bytes);
  if (!e) e = cudaMalloc(&dc, bytes);
  if (!e) e = cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  if (!e) e = cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  if (!e) {
    int g = n / t;
    if (g == 0) g = 1;
    add<<<g, t>>>(dc, da, db, n);
    e = cudaGetLastError();
  }
  if (!e) e = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  if (!e)
    for (int i = n - n % t; i < n; ++i) c[i] = a[i] + b[i];
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return e;
}
