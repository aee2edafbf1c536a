// SPDX-License-Identifier: MIT
// attacks: copies zeros back element by element, to so many places in a row that the grader finds the output at each
// control: wrong
// earns: at most its control
// must stay: neighbours, memory
#include <algorithm>
#include <vector>

#include "vecadd.h"

__global__ void write_zeros(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] < 0 ? 1 : 0;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  write_zeros<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(dc, da, db, n);
  constexpr int kPieces = 30'000;
  std::vector<float> places(kPieces);
  for (int i = 0; i < kPieces; ++i) cudaMemcpyAsync(&places[i], dc, sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(c, dc, bytes, cudaMemcpyDeviceToHost);
  std::fill(c, c + n, 0.0f);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return cudaSuccess;
}
