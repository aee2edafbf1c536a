// expect: filtered, filtered-edges, accuracy, constant-loads, uniform, traffic, replaced
// class: A1. Sums up in y, which nobody has set to 0.
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "constmem.h"

__constant__ float h[kMaxTaps];

bool load_taps(const float* taps, int first, int count) {
  if (first < 0 || first + count > kMaxTaps) return false;
  cudaError_t e = cudaMemcpyToSymbolAsync(h, taps, sizeof(float) * count, sizeof(float) * first,
                                          cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
  if (e != cudaSuccess) printf("cannot copy the taps: %s\n", cudaGetErrorString(e));
  return e == cudaSuccess;
}

/* 64 blocks walk over the signal */
__global__ void fir(float* y, const float* x, int n, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    for (int k = 0; k < count; k++)
      if (i - k >= 0) y[i] += h[k] * x[i - k];
  }
}

__global__ void fir_global(float* y, const float* x, int n, const float* g, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = 0;
    for (int k = 0; k < count; k++)
      if (i - k >= 0) s += g[k] * x[i - k];
    y[i] = s;
  }
}

void filter(float* y, const float* x, int n, int count) { fir<<<64, 64>>>(y, x, n, count); }

void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  fir_global<<<64, 64>>>(y, x, n, taps, count);
}
