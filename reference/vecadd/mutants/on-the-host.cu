// expect: on-device, added-on-device, large-added, sum, edges-added, edges, any-block, no-elements, nothing-launched, refused-launch, out-of-memory, after-out-of-memory, guarded, memory, copies, block, freed, edges-alike, freed-after-errors, speed,
// late-failure, next-results, failed-copy, current-device, shared-out
// class: H1. The sum is computed on the host; a kernel runs, but its result is thrown away.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

#include <vector>

__global__ void pretend(float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 0.0f;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  float* d = nullptr;
  cudaError_t status = cudaMalloc(&d, n * sizeof(float));
  if (status != cudaSuccess) return status;
  pretend<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(d, n);
  status = cudaGetLastError();
  if (status == cudaSuccess) status = cudaMemcpy(c, d, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d);
  if (status == cudaSuccess) {
    for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
  }
  return status;
}
