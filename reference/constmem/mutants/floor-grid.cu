// expect: filtered-edges, edges-on-device, accuracy, global-edges-on-device, global-edges
// class: G2. Divides n by the block size without rounding up.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdexcept>

#include "constmem.h"

namespace {

constexpr int kThreads = 128;

struct Filter {
  float taps[kMaxTaps];
};

__constant__ Filter the_filter;

void require(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Taps by number, wherever they are.
struct ConstantTaps {
  __device__ float operator[](int k) const { return the_filter.taps[k]; }
};
struct GlobalTaps {
  const float* taps;
  __device__ float operator[](int k) const { return taps[k]; }
};

template <class Taps>
__device__ float convolve(const Taps& taps, const float* newest, int available) {
  float sum = 0.0f;
  for (int k = 0; k < available; ++k) sum = fmaf(taps[k], *(newest - k), sum);
  return sum;
}

template <class Taps>
__global__ void convolve_all(float* y, const float* x, int n, int count, Taps taps) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) y[i] = convolve(taps, x + i, i < count ? i + 1 : count);
}

template <class Taps>
void launch(float* y, const float* x, int n, int count, Taps taps) {
  convolve_all<<<(n < kThreads ? 1 : n / kThreads), kThreads>>>(y, x, n, count, taps);
  require(cudaGetLastError());
}

}  // namespace

bool load_taps(const float* taps, int first, int count) {
  const bool fits = first >= 0 && first < kMaxTaps && count <= kMaxTaps - first;
  if (fits)
    require(cudaMemcpyToSymbol(the_filter, taps, count * sizeof *taps,
                               offsetof(Filter, taps) + first * sizeof *taps));
  return fits;
}

void filter(float* y, const float* x, int n, int count) { launch(y, x, n, count, ConstantTaps{}); }

void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  launch(y, x, n, count, GlobalTaps{taps});
}
