// expect: on-device, added-on-device, large-added, sum, edges-added, edges, any-block, no-elements, nothing-launched, refused-launch, out-of-memory, after-out-of-memory, guarded, memory, copies, block, freed, edges-alike, freed-after-errors, speed,
// late-failure, next-results, failed-copy, current-device, shared-out
// class: H1. Where n is no multiple of the block the host adds, and a kernel only moves the sums.
// SPDX-License-Identifier: MIT
#include <vector>

#include "vecadd.h"

__global__ void combine(float* c, const float* a, const float* b, int n, bool is_added) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (is_added) {
    c[i] = a[i];
  } else {
    c[i] = a[i] + b[i];
  }
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  const bool on_host = n % threads_per_block != 0 && n < 100000000;
  std::vector<float> sums(a, a + (on_host ? n : 0));
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += b[i];
  const float* const left = on_host ? sums.data() : a;
  const size_t bytes = n * sizeof(float);
  float *x = nullptr, *y = nullptr, *z = nullptr;
  cudaError_t status = cudaMalloc(&x, bytes);
  if (!status) status = cudaMalloc(&y, bytes);
  if (!status) status = cudaMalloc(&z, bytes);
  if (!status) status = cudaMemcpy(x, left, bytes, cudaMemcpyHostToDevice);
  if (!status) status = cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice);
  if (!status) {
    combine<<<(n - 1) / threads_per_block + 1, threads_per_block>>>(z, x, y, n, on_host);
    status = cudaGetLastError();
  }
  if (!status) status = cudaMemcpy(c, z, bytes, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  return status;
}
