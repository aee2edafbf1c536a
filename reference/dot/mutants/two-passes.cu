// expect: one-pass, carved-buffer, near-reference
// class: G5. Computes the two sums one after the other, so a is read three times and b once.
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "dot.h"

__global__ void set_to_zero(float* r, int count) {
  for (int i = 0; i < count; i++) r[i] = 0.f;
}

__global__ void dot1(float* r, const float* a, const float* b, int n) {
  __shared__ float cache[1024];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  cache[tid] = i < n ? a[i] * b[i] : 0.f;
  __syncthreads();
  /* largest power of two below the number of threads */
  int s = 1;
  while (2 * s < blockDim.x) s = 2 * s;
  for (; s > 0; s = s / 2) {
    if (tid < s && tid + s < blockDim.x) cache[tid] = cache[tid] + cache[tid + s];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(r, cache[0]);
}

__global__ void dot2(float* r, const float* a, const float* b, int n) {
  extern __shared__ float aa[];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  aa[tid] = 0.f;
  if (i < n) {
    aa[tid] = a[i] * b[i];
  }
  __syncthreads();
  int s = 1;
  while (2 * s < blockDim.x) s = 2 * s;
  for (; s > 0; s = s / 2) {
    if (tid < s && tid + s < blockDim.x) {
      aa[tid] = aa[tid] + aa[tid + s];
    }
    __syncthreads();
  }
  if (tid == 0) atomicAdd(r, aa[0]);
}

void dot_static(float* result, const float* a, const float* b, int n, int block) {
  set_to_zero<<<1, 1>>>(result, 1);
  if (n > 0) dot1<<<(n + block - 1) / block, block>>>(result, a, b, n);
}

void dot_dynamic(float* result, const float* a, const float* b, int n, int block) {
  set_to_zero<<<1, 1>>>(result, 2);
  if (n > 0) {
    dot2<<<(n + block - 1) / block, block, block * sizeof(float)>>>(result, a, b, n);
    dot2<<<(n + block - 1) / block, block, block * sizeof(float)>>>(result + 1, a, a, n);
  }
}
