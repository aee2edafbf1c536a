// expect: speed, near-copy
// The block that draws the last ticket adds up what all have left; votes of warps, fences.
// SPDX-License-Identifier: MIT
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

__device__ unsigned tickets = 0;
__device__ unsigned part[300000];
__global__ void version2(ull* c, const float* x, const float* y, size_t n) {
  __shared__ unsigned block_count;
  __shared__ bool last;
  if (threadIdx.x == 0) block_count = 0;
  __syncthreads();
  unsigned mine = 0;
  for (size_t base = blockIdx.x * size_t(blockDim.x); base < n;
       base += size_t(gridDim.x) * blockDim.x) {
    size_t i = base + threadIdx.x;
    bool in = i < n && fmaf(x[i], x[i], __fmul_rn(y[i], y[i])) <= 1.0f;
    unsigned votes = __ballot_sync(__activemask(), in);
    if (threadIdx.x % 32 == 0) mine += __popc(votes);
  }
  if (threadIdx.x % 32 == 0) atomicAdd_block(&block_count, mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    part[blockIdx.x] = block_count;
    __threadfence();
    last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    ull sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += ((volatile unsigned*)part)[i];
    *c = sum;
  }
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
  OK(cudaMemsetAsync(c, 0, 8, 0));
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
