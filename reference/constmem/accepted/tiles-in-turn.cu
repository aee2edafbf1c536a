// expect: nothing
// At most 64 blocks take tile after tile of the signal, each through shared memory.
// SPDX-License-Identifier: MIT
#include "constmem.h"

__constant__ float taps_[kMaxTaps];

bool load_taps(const float* taps, int first, int count) {
  if (first < 0 || first > kMaxTaps || count > kMaxTaps - first) return false;
  return cudaMemcpyToSymbol(taps_, taps, count * sizeof(float), first * sizeof(float)) == cudaSuccess;
}

#define BLOCK 128
#define MAX_BLOCKS 64

// A block takes tile after tile of the signal; what the tile needs lies in shared memory.
__global__ void filter_kernel(float* y, const float* x, int n, int count) {
  extern __shared__ float window[];
  for (long long start = (long long)blockIdx.x * BLOCK; start < n; start += (long long)gridDim.x * BLOCK) {
    for (int k = threadIdx.x; k < count - 1 + BLOCK; k += BLOCK) {
      long long i = start - count + 1 + k;
      window[k] = i < 0 || i >= n ? 0.0f : x[i];
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < count; ++k) sum += taps_[k] * window[count - 1 + threadIdx.x - k];
    if (start + threadIdx.x < n) y[start + threadIdx.x] = sum;
    __syncthreads();  // all have finished with the window
  }
}

__global__ void filter_global_kernel(float* y, const float* x, int n, const float* taps, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k < count && k <= i; ++k) sum += taps[k] * x[i - k];
  y[i] = sum;
}

void filter(float* y, const float* x, int n, int count) {
  int blocks = (n + BLOCK - 1) / BLOCK;
  if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
  filter_kernel<<<blocks, BLOCK, (count - 1 + BLOCK) * sizeof(float)>>>(y, x, n, count);
}
void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  filter_global_kernel<<<(n + 255) / 256, 256>>>(y, x, n, taps, count);
}
