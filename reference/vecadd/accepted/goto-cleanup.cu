// expect: nothing
// SPDX-License-Identifier: MIT
// C with goto, 64-bit indices, and a grid of two dimensions.
#include <stdio.h>

#include "vecadd.h"

#define TRY(call)                                                      \
  if ((err = (call)) != cudaSuccess) {                                 \
    fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorName(err)); \
    goto done;                                                         \
  }

__device__ static float plus(float x, float y) { return x + y; }

__global__ void k(const float* p, const float* q, float* r, long long len) {
  long long block = (long long)blockIdx.y * gridDim.x + blockIdx.x;
  long long me = block * blockDim.x + threadIdx.x;
  if (me >= len) return;
  r[me] = plus(p[me], q[me]);
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  float *p = NULL, *q = NULL, *r = NULL;
  cudaError_t err = cudaSuccess;
  size_t size = n * sizeof *c;
  int blocks, rows;

  if (!n) return err;
  blocks = n / threads_per_block + (n % threads_per_block != 0);
  rows = (blocks + 1) / 2;
  TRY(cudaMalloc((void**)&r, size));
  TRY(cudaMalloc((void**)&q, size));
  TRY(cudaMalloc((void**)&p, size));
  TRY(cudaMemcpy(q, b, size, cudaMemcpyDefault));
  TRY(cudaMemcpy(p, a, size, cudaMemcpyDefault));
  {
    dim3 grid(2, rows, 1), block(threads_per_block, 1, 1);
    k<<<grid, block>>>(p, q, r, n);
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());
  }
  TRY(cudaMemcpy(c, r, size, cudaMemcpyDefault));
done:
  if (p) cudaFree(p);
  if (q) cudaFree(q);
  if (r) cudaFree(r);
  cudaGetLastError();
  return err;
}
