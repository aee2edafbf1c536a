// SPDX-License-Identifier: MIT
// What the memory gives to blocks of this shape: a plain copy that moves as many bytes as the sum
// does. 12 bytes an element are those of a copy of half as many rows again: all of A goes to C, and
// half of B to its other half. Nothing is allocated, as for a sum, so that only kernels differ. The
// result is no sum.
#include "matadd.h"

__global__ void copy_elements(float* c, const float* a, float* b, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y, half = rows / 2;
  if (column >= columns || row >= rows + half) return;
  const bool second = row >= rows;
  const float* const from = second ? b - static_cast<size_t>(rows) * columns : a;
  float* const to = second ? b - static_cast<size_t>(rows - half) * columns : c;
  to[row * columns + column] = from[row * columns + column];
}

cudaError_t add_in_one_block(float* c, const float* a, const float*, int n) {
  copy_elements<<<1, dim3(n, n)>>>(c, a, nullptr, n, n);
  return cudaGetLastError();
}

cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  const int copied = rows + rows / 2;
  const dim3 grid((columns + block.x - 1) / block.x, (copied + block.y - 1) / block.y);
  copy_elements<<<grid, block>>>(c, a, const_cast<float*>(b), rows, columns);
  return cudaGetLastError();
}
