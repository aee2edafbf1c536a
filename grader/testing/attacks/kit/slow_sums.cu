// SPDX-License-Identifier: MIT
// The sums that a slow kernel makes of the vectors on the device, by way of the host.
#include "kit/carry_sums.h"

__global__ void add_slowly(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 40; ++k)
    if (i < n) reinterpret_cast<volatile float*>(c)[i] = a[i] + b[i];
}

static std::vector<float> slow_sums(const Vectors& vectors, int n, int threads_per_block) {
  std::vector<float> sums(n);
  add_slowly<<<blocks_for(n, threads_per_block), threads_per_block>>>(vectors.c, vectors.a, vectors.b, n);
  cudaMemcpyAsync(sums.data(), vectors.c, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  return sums;
}
