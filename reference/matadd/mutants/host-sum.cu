// expect: added-on-device, one-block-added, one-block, sum, edges-added, edges, idle, refused,
// block, grid, loads-16x16, loads-32x8, loads-32x32, stores, speed, refused-grid, guarded,
// edges-shape, one-block-shared-out, shared-out, next-shape, one-block-on-device, one-block-shape,
// one-block-guarded, one-block-refused, on-device, next-sums
// class: H1. The host adds, and a kernel only moves the result.
// SPDX-License-Identifier: MIT
#include <vector>

#include "matadd.h"

__global__ void paste(float* c, const float* sums, int n) {
  const int i = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
  if (i < n) c[i] = sums[i];
}

// Adds on the host and lets a kernel move the result.
static cudaError_t add(float* c, const float* a, const float* b, int n, dim3 grid, dim3 block) {
  std::vector<float> x(n), y(n);
  cudaMemcpy(x.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(y.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) x[i] += y[i];
  float* sums = nullptr;
  cudaMalloc(&sums, n * sizeof(float));
  cudaMemcpy(sums, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  paste<<<grid, block>>>(c, sums, n);
  const cudaError_t status = cudaGetLastError();
  cudaFree(sums);
  return status;
}

cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n) {
  return add(c, a, b, n * n, 1, dim3(n, n));
}

cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  const unsigned threads = block.x * block.y;
  return add(c, a, b, rows * columns, (rows * columns + threads - 1) / threads, block);
}
