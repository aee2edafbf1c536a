// expect: inside, global-inside
// class: H1. Filters with more than 2048 taps by two launches.
// SPDX-License-Identifier: MIT
#include "constmem.h"

__constant__ float table[kMaxTaps];

bool load_taps(const float* taps, int first, int count) {
  if (first < 0 || count < 1 || count > kMaxTaps || first > kMaxTaps - count) return false;
  return cudaMemcpyToSymbol(table, taps, count * sizeof(float), first * sizeof(float)) ==
         cudaSuccess;
}

constexpr int kBlock = 256;
constexpr int kPart = 2048;  // taps of one launch: a block keeps its part of x in shared memory

// Adds the terms of taps from, ..., from + count - 1 to y.
template <bool Constant>
__global__ void part_kernel(float* y, const float* x, int n, const float* taps, int from,
                            int count) {
  __shared__ float window[kPart + kBlock];
  const int first = blockIdx.x * kBlock - from - count + 1;  // the x that window[0] holds
  for (int w = threadIdx.x; w < kBlock + count - 1; w += kBlock) {
    const int at = first + w;
    window[w] = at >= 0 && at < n ? x[at] : 0.0f;
  }
  __syncthreads();
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  float sum = from == 0 ? 0.0f : y[i];
  for (int k = 0; k < count; ++k)
    sum += (Constant ? table[from + k] : taps[from + k]) * window[threadIdx.x + count - 1 - k];
  y[i] = sum;
}

template <bool Constant>
static void run(float* y, const float* x, int n, const float* taps, int count) {
  for (int from = 0; from < count; from += kPart) {
    const int part = count - from < kPart ? count - from : kPart;
    part_kernel<Constant><<<(n + kBlock - 1) / kBlock, kBlock>>>(y, x, n, taps, from, part);
  }
}

void filter(float* y, const float* x, int n, int count) { run<true>(y, x, n, nullptr, count); }

void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  run<false>(y, x, n, taps, count);
}
