// expect: global-ordered, global-right, global-border, global-pi, global-copies, global-only,
// global-timed, global-freed, shared-right, shared-pi, shared-any-block, shared-border,
// shared-timed, shared-freed, shared-block, shared-ordered, shared-atomics, each-read-once, speed,
// near-copy, global-block, global-too-large, shared-too-large, global-on-device?,
// shared-used, shared-on-device?, global-race-free?, shared-race-free?
// class: G1. Threads behind the last point test one as well.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "pi.h"

void random_points(float* x, float* y, size_t n, unsigned seed) {
  size_t i;
  srand(seed);
  for (i = 0; i < n; i++) {
    x[i] = rand() / (float)RAND_MAX;
    y[i] = rand() / (float)RAND_MAX;
  }
}

double pi_from(unsigned long long inside, unsigned long long points) {
  return (double)inside / points * 4;
}

__device__ int in_circle(float x, float y) { return sqrtf(x * x + y * y) <= 1; }

__global__ void v1(unsigned long long* count, const float* x, const float* y, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (in_circle(x[i], y[i])) atomicAdd(count, 1);
}

__global__ void v2(unsigned long long* count, const float* x, const float* y, size_t n) {
  __shared__ unsigned block_count;
  if (threadIdx.x == 0) block_count = 0;
  __syncthreads();
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i <= n && in_circle(x[i], y[i])) atomicAdd(&block_count, 1);
  __syncthreads();
  if (threadIdx.x == 0 && block_count > 0) atomicAdd(count, block_count);
}

static Estimate run(const float* x, const float* y, size_t n, int block, int version) {
  size_t size = n * sizeof(float);
  unsigned blocks = (unsigned)((n + block - 1) / block);
  unsigned long long zero = 0;
  Estimate e;
  float *xd, *yd;
  unsigned long long* cd;
  cudaEvent_t t0, t1;

  cudaMalloc((void**)&xd, size);
  cudaMalloc((void**)&yd, size);
  cudaMalloc((void**)&cd, sizeof zero);
  cudaEventCreate(&t0);
  cudaEventCreate(&t1);

  cudaMemcpy(xd, x, size, cudaMemcpyHostToDevice);
  cudaMemcpy(yd, y, size, cudaMemcpyHostToDevice);
  cudaMemcpy(cd, &zero, sizeof zero, cudaMemcpyHostToDevice);

  cudaEventRecord(t0, 0);
  if (version == 1)
    v1<<<blocks, block>>>(cd, xd, yd, n);
  else
    v2<<<blocks, block>>>(cd, xd, yd, n);
  cudaEventRecord(t1, 0);
  cudaMemcpy(&e.inside, cd, sizeof e.inside, cudaMemcpyDeviceToHost);
  cudaEventSynchronize(t1);
  cudaEventElapsedTime(&e.kernel_ms, t0, t1);
  e.pi = pi_from(e.inside, n);

  cudaEventDestroy(t0);
  cudaEventDestroy(t1);
  cudaFree(xd);
  cudaFree(yd);
  cudaFree(cd);
  return e;
}

Estimate estimate_global(const float* x, const float* y, size_t n, int block) {
  return run(x, y, n, block, 1);
}

Estimate estimate_shared(const float* x, const float* y, size_t n, int block) {
  return run(x, y, n, block, 2);
}
