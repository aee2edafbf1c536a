// expect: inside
// class: H1. filter launches one kernel for each half of the taps.
// SPDX-License-Identifier: MIT
#include "constmem.h"

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

static constexpr int kBlock = 256;

__constant__ float constant_taps[kMaxTaps];

static int blocks_for(int n) { return (n - 1) / kBlock + 1; }

// The fourth argument is the offset into the variable, in bytes; the direction comes after it and
// may be left out.
bool load_taps(const float* taps, int first, int count) {
  if (first < 0 || count > kMaxTaps - first) return false;
  CHECK(cudaMemcpyToSymbol(constant_taps, taps, count * sizeof(float), first * sizeof(float)));
  return true;
}

__global__ void filter_kernel(float* y, const float* x, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int last = min(count - 1, i);  // nothing lies before x[0]
  float sum = 0.0f;
  for (int k = 0; k <= last; ++k) sum += constant_taps[k] * x[i - k];
  y[i] = sum;
}

__global__ void add_the_rest(float* y, const float* x, int n, int first, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int last = min(count - 1, i);
  float sum = y[i];
  for (int k = first; k <= last; ++k) sum += constant_taps[k] * x[i - k];
  y[i] = sum;
}

void filter(float* y, const float* x, int n, int count) {
  const int half = (count + 1) / 2;
  filter_kernel<<<blocks_for(n), kBlock>>>(y, x, n, half);
  add_the_rest<<<blocks_for(n), kBlock>>>(y, x, n, half, count);
  CHECK(cudaGetLastError());
}

__global__ void filter_global_kernel(float* y, const float* x, int n, const float* taps,
                                     int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int last = min(count - 1, i);
  float sum = 0.0f;
  for (int k = 0; k <= last; ++k) sum += taps[k] * x[i - k];
  y[i] = sum;
}

void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  filter_global_kernel<<<blocks_for(n), kBlock>>>(y, x, n, taps, count);
  CHECK(cudaGetLastError());
}
