// expect: idle
// class: G1. Only the element's number is guarded: surplus threads of a row add the next row's elements again.
// SPDX-License-Identifier: MIT
#include "matadd.h"

__global__ void add(float* c, const float* a, const float* b, size_t count, int width) {
  const dim3 me(blockDim.x * blockIdx.x + threadIdx.x, blockDim.y * blockIdx.y + threadIdx.y);
  const size_t k = static_cast<size_t>(me.y) * width + me.x;
  if (k < count) c[k] = a[k] + b[k];
}

static cudaError_t run(float* c, const float* a, const float* b, int rows, int columns,
                       dim3 block) {
  dim3 grid = {1, 1, 1};
  while (grid.x * block.x < static_cast<unsigned>(columns)) ++grid.x;
  while (grid.y * block.y < static_cast<unsigned>(rows)) ++grid.y;
  add<<<grid, block>>>(c, a, b, static_cast<size_t>(rows) * columns, columns);
  return cudaGetLastError();
}

cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n) {
  return run(c, a, b, n, n, dim3(n, n));
}

cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  return run(c, a, b, rows, columns, block);
}
