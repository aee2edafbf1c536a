// expect: global-on-device, global-right, global-border, global-pi, global-copies, global-only,
// global-ordered, global-timed, global-freed, shared-on-device, shared-right, shared-pi,
// shared-any-block, shared-border, shared-timed, shared-freed, shared-used, shared-block,
// shared-ordered, shared-atomics, each-read-once, speed, near-copy, global-block, global-too-large,
// shared-too-large, global-race-free, shared-race-free
// class: H1. Counts on the host and lets a kernel do nothing.
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

__global__ void nothing() {}

static Estimate run(const float* x, const float* y, size_t n, int block, int version) {
  size_t size = n * sizeof(float);
  unsigned blocks = (unsigned)((n + block - 1) / block);
  unsigned long long hits = 0;
  Estimate e;
  float *xd, *yd;
  unsigned long long* cd;
  cudaEvent_t t0, t1;

  cudaMalloc((void**)&xd, size);
  cudaMalloc((void**)&yd, size);
  cudaMalloc((void**)&cd, sizeof hits);
  cudaEventCreate(&t0);
  cudaEventCreate(&t1);

  cudaMemcpy(xd, x, size, cudaMemcpyHostToDevice);
  cudaMemcpy(yd, y, size, cudaMemcpyHostToDevice);
  for (size_t i = 0; i < n; i++)
    if (x[i] * x[i] + y[i] * y[i] <= 1) hits++;
  cudaMemcpy(cd, &hits, sizeof hits, cudaMemcpyHostToDevice);

  cudaEventRecord(t0, 0);
  if (version == 1)
    nothing<<<1, 1>>>();
  else
    nothing<<<blocks, block>>>();
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
