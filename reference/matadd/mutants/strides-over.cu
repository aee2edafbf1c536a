// expect: refused, refused-grid, one-block-refused
// class: H4. Clamps the block of part 1, and tells every refusal as an unknown error.
// SPDX-License-Identifier: MIT
#include "matadd.h"
__global__ void add(float* c, const float* a, const float* b, int rows, int columns) {
  for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < rows; i += gridDim.y * blockDim.y)
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < columns; j += gridDim.x * blockDim.x)
      c[i * columns + j] = a[i * columns + j] + b[i * columns + j];
}
cudaError_t add_in_one_block(float* c, const float* a, const float* b, int n) {
  int side = n < 32 ? n : 32;
  add<<<1, dim3(side, side)>>>(c, a, b, n, n);
  return cudaGetLastError();
}
cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  add<<<dim3((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y), block>>>(
      c, a, b, rows, columns);
  return cudaGetLastError() == cudaSuccess ? cudaSuccess : cudaErrorUnknown;
}
