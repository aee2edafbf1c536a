// expect: nothing
// One stream that does not wait for the default stream loads and filters; only what the caller needs is waited for.
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

static cudaStream_t own_stream() {
  static const cudaStream_t stream = [] {
    cudaStream_t made;
    CHECK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
  }();
  return stream;
}

// The fourth argument is the offset into the variable, in bytes; the direction comes after it and
// may be left out.
bool load_taps(const float* taps, int first, int count) {
  if (first < 0 || count > kMaxTaps - first) return false;
  CHECK(cudaMemcpyToSymbolAsync(constant_taps, taps, count * sizeof(float), first * sizeof(float),
                                cudaMemcpyHostToDevice, own_stream()));
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

void filter(float* y, const float* x, int n, int count) {
  filter_kernel<<<blocks_for(n), kBlock, 0, own_stream()>>>(y, x, n, count);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(own_stream()));
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
  filter_global_kernel<<<blocks_for(n), kBlock, 0, own_stream()>>>(y, x, n, taps, count);
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(own_stream()));
}
