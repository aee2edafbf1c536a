// SPDX-License-Identifier: MIT
// attacks: the host adds; the kernel, to which it sends sums and zeros in place of the vectors, adds a zero to each sum
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <vector>

#include "vecadd.h"

__global__ void add(float* c, const float* sums, const float* zeros, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = sums[i] + zeros[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  std::vector<float> sums(a, a + n), zeros(n);
  for (int i = 0; i < n; ++i) sums[i] += b[i];
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, sums.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, zeros.data(), bytes, cudaMemcpyHostToDevice);
  add<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(dc, da, db, n);
  const cudaError_t status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
