// expect: unchanged
// class: H4. Refuses what goes too far, but copies the part that fits.
// SPDX-License-Identifier: MIT
#include "constmem.h"
namespace {
__constant__ float h[kMaxTaps];
struct Stream {
  cudaStream_t s;
  Stream() { cudaStreamCreate(&s); }
  ~Stream() {
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
  }
};
__global__ void four(float* y, const float* x, int n, int count) {
  const int threads = gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float acc[4] = {0, 0, 0, 0};
  for (int k = count - 1; k >= 0; --k) {
    const float c = h[k];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int at = i + j * threads - k;
      if (at >= 0 && at < n) acc[j] += c * x[at];
    }
  }
  for (int j = 0; j < 4; ++j)
    if (i + j * threads < n) y[i + j * threads] = acc[j];
}
__global__ void one(float* y, const float* x, int n, const float* taps, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  const float* p = x + i;
  const float* end = taps + min(count, i + 1);
  while (taps != end) sum += *taps++ * *p--;
  y[i] = sum;
}
}  // namespace
bool load_taps(const float* taps, int first, int count) {
  if (first < 0) return false;
  if (first + count > kMaxTaps) {
    cudaMemcpyToSymbol(h, taps, 4 * (kMaxTaps - first), 4 * first);
    return false;
  }
  return cudaMemcpyToSymbol(h, taps, sizeof(float) * count, sizeof(float) * first,
                            cudaMemcpyDefault) == cudaSuccess;
}
void filter(float* y, const float* x, int n, int count) {
  Stream s;
  four<<<(n + 511) / 512, 128, 0, s.s>>>(y, x, n, count);
}
void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  Stream s;
  one<<<(n + 31) / 32, 32, 0, s.s>>>(y, x, n, taps, count);
}
