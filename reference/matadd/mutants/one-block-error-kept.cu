// expect: one-block-refused
// class: H4. Part 1 peeks at the error of a refused launch; part 2 takes it.
// SPDX-License-Identifier: MIT
#include "matadd.h"

__global__ void add_elements(float* c, const float* a, const float* b, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const size_t element = static_cast<size_t>(row) * columns + column;
  c[element] = a[element] + b[element];
}

cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n) {
  add_elements<<<1, dim3(n, n)>>>(c, a, b, n, n);
  return cudaPeekAtLastError();
}

static unsigned ceil_div(int total, unsigned part) { return (total + part - 1) / part; }

cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  const dim3 grid(ceil_div(columns, block.x), ceil_div(rows, block.y));
  add_elements<<<grid, block>>>(c, a, b, rows, columns);
  return cudaGetLastError();
}
