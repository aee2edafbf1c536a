// expect: edges, any-block, next-results
// class: B1. A thread for four elements each, and one more for the rest, which the grid lacks where the fours fill its blocks.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void add_fours(const float* x, const float* y, float* z, int whole, int rest) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id < whole) {
    const float4 left = reinterpret_cast<const float4*>(x)[id];
    const float4 right = reinterpret_cast<const float4*>(y)[id];
    reinterpret_cast<float4*>(z)[id] = {left.x + right.x, left.y + right.y, left.z + right.z,
                                        left.w + right.w};
  }
  if (id != whole) return;
  for (int tail = 4 * whole; tail < 4 * whole + rest; ++tail) z[tail] = x[tail] + y[tail];
}

static void keep_first(cudaError_t& first, cudaError_t next) {
  if (first == cudaSuccess) first = next;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  const size_t bytes = n * sizeof(float);
  float* device[3] = {};
  cudaError_t error = cudaSuccess;
  for (float*& each : device)
    if (error == cudaSuccess) error = cudaMalloc(&each, bytes);
  if (error == cudaSuccess) {
    keep_first(error, cudaMemcpy(device[0], a, bytes, cudaMemcpyHostToDevice));
    keep_first(error, cudaMemcpy(device[1], b, bytes, cudaMemcpyHostToDevice));
    const int whole = n / 4, blocks = (whole + threads_per_block - 1) / threads_per_block + (whole == 0);
    add_fours<<<blocks, threads_per_block>>>(device[0], device[1], device[2], whole, n % 4);
    keep_first(error, cudaGetLastError());
    keep_first(error, cudaMemcpy(c, device[2], bytes, cudaMemcpyDeviceToHost));
  }
  for (float* each : device) keep_first(error, cudaFree(each));
  cudaGetLastError();
  return error;
}
