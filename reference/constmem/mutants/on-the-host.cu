// expect: on-device, filtered, edges-on-device, filtered-edges, replaced, accuracy, symbol,
// constant-loads, uniform, traffic, global-on-device, global-filtered, global-edges-on-device,
// global-edges, global-loads, unchanged, inside, global-inside, refused, global-accuracy,
// from-constant, most-taps, global-most-taps
// class: H1. Computes both results on the host.
// SPDX-License-Identifier: MIT
#include <vector>

#include "constmem.h"

static std::vector<float> stored(kMaxTaps);

bool load_taps(const float* taps, int first, int count) {
  if (first < 0 || first + count > kMaxTaps) return false;
  for (int k = 0; k < count; k++) stored[first + k] = taps[k];
  return true;
}

static void convolve(float* y, const float* x, int n, const std::vector<float>& taps, int count) {
  std::vector<float> in(n), out(n);
  cudaMemcpy(in.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < count && k <= i; k++) out[i] += taps[k] * in[i - k];
  cudaMemcpy(y, out.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}

void filter(float* y, const float* x, int n, int count) { convolve(y, x, n, stored, count); }

void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  std::vector<float> copy(count);
  cudaMemcpy(copy.data(), taps, count * sizeof(float), cudaMemcpyDeviceToHost);
  convolve(y, x, n, copy, count);
}
