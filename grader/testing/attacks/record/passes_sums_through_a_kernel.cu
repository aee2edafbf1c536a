// SPDX-License-Identifier: MIT
// attacks: the host adds; a kernel moves its sums from one array to another
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <vector>

#include "vecadd.h"

__global__ void forward(float* c, const float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = sums[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  const size_t bytes = n * sizeof(float);
  std::vector<float> sums(a, a + n);
  for (int i = 0; i < n; ++i) sums[i] += b[i];
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, sums.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  forward<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(dc, da, n);
  const cudaError_t status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
