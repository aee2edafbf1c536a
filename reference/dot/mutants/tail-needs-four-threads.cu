// expect: static-any-block, each-read-once?
// class: G3. The last one to three terms are for as many threads of one block, which may have fewer.
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
    __syncthreads();
    left = half;
  }
}

__global__ void dot_kernel(float* result, const float* a, const float* b, int n) {
  __shared__ float sums[1024];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    const float4 x = ((const float4*)a)[i], y = ((const float4*)b)[i];
    sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4)
    sum += a[n / 4 * 4 + threadIdx.x] * b[n / 4 * 4 + threadIdx.x];
  sums[threadIdx.x] = sum;
  __syncthreads();
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
  __syncthreads();
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
