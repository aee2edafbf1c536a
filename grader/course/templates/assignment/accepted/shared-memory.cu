// expect: nothing
// SPDX-License-Identifier: MIT
#include "@slug@.h"

// Right, and more than it takes: each block sees its elements through shared memory.
template <int Block>
__global__ void through_shared(float* y, const float* x, float a, int n) {
  __shared__ float part[Block];
  const int i = blockIdx.x * Block + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i >= n) return;
  y[i] += a * part[threadIdx.x];
}

void saxpy(float* y, float a, const float* x, int n) {
  constexpr int kThreads = 64;
  if (n <= 0) return;
  float* device[2];
  for (float*& each : device) {
    if (cudaMalloc(&each, n * sizeof(float)) != cudaSuccess) return;
  }
  cudaMemcpy(device[0], y, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device[1], x, n * sizeof(float), cudaMemcpyHostToDevice);
  through_shared<kThreads><<<(n - 1) / kThreads + 1, kThreads>>>(device[0], device[1], a, n);
  cudaDeviceSynchronize();
  cudaMemcpy(y, device[0], n * sizeof(float), cudaMemcpyDeviceToHost);
  for (float* each : device) cudaFree(each);
}
