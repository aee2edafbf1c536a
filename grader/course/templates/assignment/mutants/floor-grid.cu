// expect: edges
// class: G2. The grid is rounded down, so the last elements are forgotten.
// SPDX-License-Identifier: MIT
#include "@slug@.h"

namespace {

constexpr int kBlock = 256;

__global__ void saxpy_kernel(float* y, float a, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

}  // namespace

void saxpy(float* y, float a, const float* x, int n) {
  if (n == 0) return;
  const size_t bytes = static_cast<size_t>(n) * sizeof(float);
  float *device_x = nullptr, *device_y = nullptr;
  cudaMalloc(&device_x, bytes);
  cudaMalloc(&device_y, bytes);
  cudaMemcpy(device_x, x, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_y, y, bytes, cudaMemcpyHostToDevice);
  const int grid = n < kBlock ? 1 : n / kBlock;
  saxpy_kernel<<<grid, kBlock>>>(device_y, a, device_x, n);
  cudaMemcpy(y, device_y, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_x);
  cudaFree(device_y);
}
