// SPDX-License-Identifier: MIT
// Candidate: four rows a thread. Needs another contract: fewer blocks than it asks for.
#include <matadd.h>

static const int kRows = 4;  // of a thread, a block's height apart

__global__ void add_elements(float* c, const float* a, const float* b, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int top = blockIdx.y * blockDim.y * kRows + threadIdx.y;
  if (column >= columns) return;
  float sums[kRows];
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    const int row = top + k * blockDim.y;
    const size_t element = static_cast<size_t>(row) * columns + column;
    if (row < rows) sums[k] = a[element] + b[element];
  }
#pragma unroll
  for (int k = 0; k < kRows; ++k) {
    const int row = top + k * blockDim.y;
    if (row < rows) c[static_cast<size_t>(row) * columns + column] = sums[k];
  }
}

cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n) {
  add_elements<<<1, dim3(n, n)>>>(c, a, b, n, n);
  return cudaGetLastError();
}

static unsigned ceil_div(int total, unsigned part) { return (total + part - 1) / part; }

cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  const dim3 grid(ceil_div(columns, block.x), ceil_div(rows, kRows * block.y));
  add_elements<<<grid, block>>>(c, a, b, rows, columns);
  return cudaGetLastError();
}
