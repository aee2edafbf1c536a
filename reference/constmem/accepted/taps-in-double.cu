// expect: nothing
// The taps lie in constant memory in double precision, so that a sum is rounded once, at its end.
// SPDX-License-Identifier: MIT
#include "constmem.h"

#include <vector>

__constant__ double precise_taps[kMaxTaps];

bool load_taps(const float* taps, int first, int count) {
  if (first < 0 || count < 0 || count > kMaxTaps - first) return false;
  const std::vector<double> widened(taps, taps + count);
  return cudaMemcpyToSymbol(precise_taps, widened.data(), widened.size() * sizeof(double),
                            first * sizeof(double)) == cudaSuccess;
}

__global__ void filter_precisely(float* y, const float* x, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int k = 0; k < count && k <= i; ++k) sum += precise_taps[k] * x[i - k];
  y[i] = static_cast<float>(sum);
}

void filter(float* y, const float* x, int n, int count) {
  filter_precisely<<<(n + 255) / 256, 256>>>(y, x, n, count);
}

__global__ void filter_from_global(float* y, const float* x, int n, const float* taps, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int k = 0; k < count && k <= i; ++k) sum += static_cast<double>(taps[k]) * x[i - k];
  y[i] = static_cast<float>(sum);
}

void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  filter_from_global<<<(n + 255) / 256, 256>>>(y, x, n, taps, count);
}
