// expect: static-ordered, speed, near-reference, static-race-free, static-whole, static-edges,
// static-any-block, static-precision, accuracy, static-array, static-block, static-atomics,
// no-conflicts, each-read-once
// class: S2. Blocks of one warp go without the barrier between store and load.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include "dot.h"
#define OK(call)                                                                  \
  do {                                                                            \
    cudaError_t e = (call);                                                       \
    if (e != cudaSuccess) {                                                       \
      std::fprintf(stderr, "dot: %s line %d\n", cudaGetErrorString(e), __LINE__); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

__device__ void reduce(float* values) {
  int left = blockDim.x;
  while (left > 1) {
    const int half = (left + 1) / 2;
    if (int(threadIdx.x) < left / 2) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads(); /*R*/
    left = half;
  }
}

__global__ void dot_kernel(float* result, const float* a, const float* b, int n) {
  __shared__ float sums[1024];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += a[i] * b[i];
  sums[threadIdx.x] = sum;
  if (blockDim.x > 32) __syncthreads();
  reduce(sums);
  if (threadIdx.x == 0) atomicAdd(result, sums[0]);
}

void dot_static(float* result, const float* a, const float* b, int n, int block) {
  OK(cudaMemset(result, 0, sizeof(float)));
  if (n == 0) return;
  int blocks = (n + block - 1) / block;
  if (blocks > 512) blocks = 512;
  dot_kernel<<<blocks, block>>>(result, a, b, n);
  OK(cudaGetLastError());
}

__global__ void dot_and_square_kernel(float* result, const float* a, const float* b, int n) {
  extern __shared__ float buffer[];
  float* products = buffer;
  float* squares = buffer + blockDim.x;
  float ab = 0, aa = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = a[i];
    ab += x * b[i];
    aa += x * x;
  }
  products[threadIdx.x] = ab;
  squares[threadIdx.x] = aa;
  __syncthreads(); /*D*/
  reduce(products);
  reduce(squares);
  if (threadIdx.x == 0) {
    atomicAdd(&result[0], products[0]);
    atomicAdd(&result[1], squares[0]);
  }
}

void dot_dynamic(float* result, const float* a, const float* b, int n, int block) {
  OK(cudaMemset(result, 0, 2 * sizeof(float)));
  if (n == 0) return;
  int blocks = (n + block - 1) / block;
  if (blocks > 512) blocks = 512;
  dot_and_square_kernel<<<blocks, block, 2 * block * sizeof(float)>>>(result, a, b, n);
  OK(cudaGetLastError());
}
