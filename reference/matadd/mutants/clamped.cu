// expect: idle
// class: A2. Surplus threads add the last row and column again instead of nothing.
// SPDX-License-Identifier: MIT
#include "matadd.h"
__global__ void add(float* c, const float* a, const float* b, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  i = min(i, rows - 1);
  j = min(j, columns - 1);
  c[i * columns + j] = a[i * columns + j] + b[i * columns + j];
}
cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n) {
  add<<<1, dim3(n, n)>>>(c, a, b, n, n);
  return cudaGetLastError();
}
cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  add<<<dim3((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y), block>>>(
      c, a, b, rows, columns);
  return cudaGetLastError();
}
