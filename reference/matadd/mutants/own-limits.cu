// expect: refused, refused-grid, one-block-refused
// class: H4. Returns an error of its own for too many threads and never asks what CUDA refuses.
// SPDX-License-Identifier: MIT
#include "matadd.h"
__global__ void add(float* c, const float* a, const float* b, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns) c[i * columns + j] = a[i * columns + j] + b[i * columns + j];
}
cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n) {
  if (n > 32) return cudaErrorInvalidConfiguration;
  add<<<1, dim3(n, n)>>>(c, a, b, n, n);
  return cudaSuccess;
}
cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  if (block.x * block.y > 1024) return cudaErrorInvalidConfiguration;
  add<<<dim3((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y), block>>>(
      c, a, b, rows, columns);
  return cudaSuccess;
}
