// expect: static-whole, static-edges, static-any-block, dynamic-whole, dynamic-edges,
// dynamic-any-block, static-precision, accuracy, dynamic-accuracy, static-array, static-ordered,
// carved-buffer, dynamic-ordered, static-atomics, dynamic-atomics, no-conflicts, each-read-once,
// one-pass, speed, near-reference, static-block, dynamic-block
// class: A1. Adds up in device variables that start at 0 only once: the second call adds to the first.
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "dot.h"

__device__ float total[3];

__global__ void hand_over(float* r, int first, int count) {
  for (int i = 0; i < count; i++) r[i] = total[first + i];
}

__global__ void dot1(const float* a, const float* b, int n) {
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
  if (tid == 0) atomicAdd(total, cache[0]);
}

__global__ void dot2(const float* a, const float* b, int n) {
  extern __shared__ char bytes[];
  float* ab = (float*)bytes;
  float* aa = (float*)(bytes + blockDim.x * sizeof(float));
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  ab[tid] = 0.f;
  aa[tid] = 0.f;
  if (i < n) {
    ab[tid] = a[i] * b[i];
    aa[tid] = a[i] * a[i];
  }
  __syncthreads();
  int s = 1;
  while (2 * s < blockDim.x) s = 2 * s;
  for (; s > 0; s = s / 2) {
    if (tid < s && tid + s < blockDim.x) {
      ab[tid] = ab[tid] + ab[tid + s];
      aa[tid] = aa[tid] + aa[tid + s];
    }
    __syncthreads();
  }
  if (tid == 0) {
    atomicAdd(total + 1, ab[0]);
    atomicAdd(total + 2, aa[0]);
  }
}

void dot_static(float* result, const float* a, const float* b, int n, int block) {
  if (n > 0) dot1<<<(n + block - 1) / block, block>>>(a, b, n);
  hand_over<<<1, 1>>>(result, 0, 1);
}

void dot_dynamic(float* result, const float* a, const float* b, int n, int block) {
  if (n > 0) {
    dot2<<<(n + block - 1) / block, block, block * 2 * sizeof(float)>>>(a, b, n);
  }
  hand_over<<<1, 1>>>(result, 1, 2);
}
