// expect: shared-right, shared-pi, shared-timed, shared-freed, shared-block, shared-ordered,
// shared-atomics, each-read-once, speed, near-copy, shared-too-large, shared-any-block?
// class: N1. Version 2 cuts x to half precision, which takes in points just outside the circle.
// SPDX-License-Identifier: MIT
#include <cuda_fp16.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>
#include "pi.h"

#define OK(call)                                                \
  do {                                                          \
    const cudaError_t error_ = (call);                          \
    if (error_ != cudaSuccess) {                                \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error_)); \
      std::exit(1);                                             \
    }                                                           \
  } while (false)
typedef unsigned long long ull;

void random_points(float* x, float* y, size_t n, unsigned seed) {
  std::minstd_rand g(seed * 7919u + 3u);
  g.discard(17);
  for (size_t i = 0; i < n; ++i) {
    x[i] = float(g() / double(std::minstd_rand::max()));
    y[i] = float(g() / double(std::minstd_rand::max()));
  }
}
double pi_from(ull inside, ull points) { return double(inside) / double(points) * 4; }

__global__ void version1(ull* c, const float* x, const float* y, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    if (x[i] * x[i] <= 1.0f - y[i] * y[i]) atomicAdd(c, 1ull);
}

__global__ void version2(ull* c, const float* x, const float* y, size_t n) {
  __shared__ unsigned s[1024];
  unsigned mine = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
       i += size_t(gridDim.x) * blockDim.x)
    mine += __half2float(__float2half_rd(x[i])) * x[i] + y[i] * y[i] <= 1;
  s[threadIdx.x] = mine;
  __syncthreads();
  for (int left = blockDim.x; left > 1; left = (left + 1) / 2) {
    int h = (left + 1) / 2;
    if (int(threadIdx.x) < left / 2) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(c, ull(s[0]));
}

template <class K>
static Estimate run(K kernel, const float* x, const float* y, size_t n, int block) {
  float *dx, *dy;
  ull* c;
  OK(cudaMalloc(&dx, 4 * n));
  OK(cudaMalloc(&dy, 4 * n));
  OK(cudaMalloc(&c, 8));
  OK(cudaMemcpy(dx, x, 4 * n, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dy, y, 4 * n, cudaMemcpyHostToDevice));
  OK(cudaMemset(c, 0, 8));
  cudaEvent_t a, b;
  OK(cudaEventCreate(&a));
  OK(cudaEventCreate(&b));
  int blocks = int(std::min<size_t>((n + block - 1) / block, 132 * 2048 / block));
  OK(cudaEventRecord(a));
  kernel<<<blocks, block>>>(c, dx, dy, n);
  OK(cudaGetLastError());
  OK(cudaEventRecord(b));
  OK(cudaEventSynchronize(b));
  float ms = 0;
  OK(cudaEventElapsedTime(&ms, a, b));
  ull inside = 0;
  OK(cudaMemcpy(&inside, c, 8, cudaMemcpyDeviceToHost));
  OK(cudaEventDestroy(a));
  OK(cudaEventDestroy(b));
  OK(cudaFree(dx));
  OK(cudaFree(dy));
  OK(cudaFree(c));
  return Estimate{inside, pi_from(inside, n), ms};
}
Estimate estimate_global(const float* x, const float* y, size_t n, int block) {
  return run(version1, x, y, n, block);
}
Estimate estimate_shared(const float* x, const float* y, size_t n, int block) {
  return run(version2, x, y, n, block);
}
