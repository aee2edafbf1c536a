// expect: filtered-edges, edges-on-device, accuracy, global-edges-on-device, global-edges, inside, global-inside
// class: G1. Threads behind n write, too.
// SPDX-License-Identifier: MIT
#include "constmem.h"

// The block's part of the signal, with what lies before it, in shared memory.
#define BLOCK 64

__constant__ float taps_c[kMaxTaps];

bool load_taps(const float* taps, int first, int count) {
  if (first < 0) return false;
  if (first + count > kMaxTaps) return false;
  return cudaMemcpyToSymbol(taps_c, taps, count * 4, first * 4) == cudaSuccess;
}

// tile[j] is x[start - (count - 1) + j].
__device__ void stage(float* tile, const float* x, int n, int count) {
  int start = blockIdx.x * BLOCK - (count - 1);
  for (int j = threadIdx.x; j < BLOCK + count - 1; j += BLOCK) {
    int i = start + j;
    tile[j] = i >= 0 && i < n ? x[i] : 0;
  }
  __syncthreads();
}

__global__ void with_constant(float* y, const float* x, int n, int count) {
  extern __shared__ float tile[];
  stage(tile, x, n, count);
  float sum = 0;
  for (int k = 0; k < count; k++) sum += taps_c[k] * tile[count - 1 + threadIdx.x - k];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  y[i] = sum;
}

__global__ void with_global(float* y, const float* x, int n, const float* taps, int count) {
  extern __shared__ float tile[];
  stage(tile, x, n, count);
  float sum = 0;
  for (int k = 0; k < count; k++) sum += taps[k] * tile[count - 1 + threadIdx.x - k];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  y[i] = sum;
}

void filter(float* y, const float* x, int n, int count) {
  with_constant<<<(n + BLOCK - 1) / BLOCK, BLOCK, (BLOCK + count - 1) * 4>>>(y, x, n, count);
}

void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  with_global<<<(n + BLOCK - 1) / BLOCK, BLOCK, (BLOCK + count - 1) * 4>>>(y, x, n, taps, count);
}
