// expect: nothing
// Two taps a load; filter_global takes its taps to shared memory first.
// SPDX-License-Identifier: MIT
#include "constmem.h"
__constant__ __align__(16) float coefficients[kMaxTaps];
bool load_taps(const float* taps, int first, int count) {
  if (first < 0 || count > kMaxTaps - first) return false;
  for (int done = 0; done < count;) {  // in pieces of 1000
    int part = count - done < 1000 ? count - done : 1000;
    if (cudaMemcpyToSymbol(coefficients, taps + done, part * sizeof(float),
                           (first + done) * sizeof(float)))
      return false;
    done += part;
  }
  return true;
}
__global__ void two(float* y, const float* x, int n, int count) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    float even = 0, odd = 0;
    int k = 0, most = min(count, i + 1);
    for (; k + 1 < most; k += 2) {
      float2 t = *reinterpret_cast<const float2*>(coefficients + k);
      even += t.x * x[i - k];
      odd += t.y * x[i - k - 1];
    }
    if (k < most) even += coefficients[k] * x[i - k];
    y[i] = even + odd;
  }
}
void filter(float* y, const float* x, int n, int count) {
  two<<<(n + 127) / 128, 128>>>(y, x, n, count);
}
__global__ void staged(float* y, const float* x, int n, const float* taps, int count) {
  extern __shared__ float t[];
  for (int k = threadIdx.x; k < count; k += blockDim.x) t[k] = taps[k];
  __syncthreads();
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) {
    float sum = 0;
    for (int k = 0; k < count; ++k)
      if (i >= k) sum += t[k] * x[i - k];
    y[i] = sum;
  }
}
void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  staged<<<8, 256, count * sizeof(float)>>>(y, x, n, taps, count);
}
