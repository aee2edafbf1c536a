// expect: refused-launch, late-failure, failed-copy
// class: H4. Every error is told as one of missing memory.
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
  bool ok = !cudaMalloc(&da, bytes) && !cudaMalloc(&db, bytes) && !cudaMalloc(&dc, bytes);
  ok = ok && !cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  ok = ok && !cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  if (ok) {
    add<<<(n + t - 1) / t, t>>>(dc, da, db, n);
    ok = !cudaGetLastError();
  }
  ok = ok && !cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return ok ? cudaSuccess : cudaErrorMemoryAllocation;
}
