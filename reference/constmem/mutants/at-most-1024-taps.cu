// expect: most-taps
// class: G3. Leaves out the taps behind the first 1024.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include "constmem.h"

static void check(cudaError_t e, int line) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "constmem.cu:%d: %s\n", line, cudaGetErrorString(e));
  std::exit(1);
}
#define CHECK(x) check((x), __LINE__)

__constant__ float c_taps[kMaxTaps];

bool load_taps(const float* taps, int first, int count) {
  if (first < 0 || count < 1 || first > kMaxTaps - count) return false;
  CHECK(cudaMemcpyToSymbol(c_taps, taps, count * sizeof(float), first * sizeof(float)));
  return true;
}

__global__ void filter_kernel(float* y, const float* x, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < min(count, 1024); ++k)
    if (i - k >= 0) sum += c_taps[k] * x[i - k];
  y[i] = sum;
}

void filter(float* y, const float* x, int n, int count) {
  filter_kernel<<<(n + 255) / 256, 256>>>(y, x, n, count);
  CHECK(cudaGetLastError());
}

__global__ void filter_global_kernel(float* y, const float* x, int n, const float* taps,
                                     int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < count; ++k)
    if (i - k >= 0) sum += taps[k] * x[i - k];
  y[i] = sum;
}

void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  filter_global_kernel<<<(n + 255) / 256, 256>>>(y, x, n, taps, count);
  CHECK(cudaGetLastError());
}
