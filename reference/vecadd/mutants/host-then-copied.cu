// expect: on-device, added-on-device, large-added, sum, edges-added, edges, any-block, no-elements, nothing-launched, refused-launch, out-of-memory, after-out-of-memory, guarded, memory, copies, block, freed, edges-alike, freed-after-errors, speed,
// late-failure, next-results, failed-copy, current-device, shared-out
// class: H1. The host adds, and the kernel only copies the sums from one array to another.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

#include <vector>

__global__ void forward(float* to, const float* from, const float*, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  std::vector<float> sums(n);
  for (int i = 0; i < n; ++i) sums[i] = a[i] + b[i];
  float *x = nullptr, *y = nullptr, *z = nullptr;
  const size_t bytes = n * sizeof(float);
  cudaError_t status = cudaMalloc(&x, bytes);
  if (!status) status = cudaMalloc(&y, bytes);
  if (!status) status = cudaMalloc(&z, bytes);
  if (!status) status = cudaMemcpy(x, sums.data(), bytes, cudaMemcpyHostToDevice);
  if (!status) status = cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice);
  if (!status) {
    forward<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(z, x, y, n);
    status = cudaGetLastError();
  }
  if (!status) status = cudaMemcpy(c, z, bytes, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  return status;
}
