// SPDX-License-Identifier: MIT
// attacks: the host adds and sends the sums to where a kernel writes a single element of them
// control: wrong
// earns: at most its control
// must stay: neighbours
#include <vector>

#include "vecadd.h"

__global__ void touch(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = static_cast<float>(i);
  if (i < n) x = x + 1.0f;
  if (i == 0) c[0] = a[0] + b[0];
  if (x == -1.0f) c[1] = x;
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
  cudaMemcpy(dc, sums.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, sizeof(float), cudaMemcpyHostToDevice);
  touch<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(dc, da, db, n);
  const cudaError_t status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
