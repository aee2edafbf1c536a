// expect: accuracy, each-read-once, speed, near-reference, static-array, static-uses-shared,
// static-atomics, no-conflicts
// class: N1. A single thread takes up all products one after another in one float.
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "dot.h"

__global__ void set_to_zero(float* r, int count) {
  for (int i = 0; i < count; i++) r[i] = 0.f;
}

/* every product by itself, then one after another */
__global__ void dot0(float* products, const float* a, const float* b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    products[i] = a[i] * b[i];
}

__global__ void add_all(float* r, const float* products, int n) {
  __shared__ float sum[1];
  sum[0] = 0.f;
  for (int i = 0; i < n; i++) sum[0] += products[i];
  *r = sum[0];
}

__global__ void dot2(float* r, const float* a, const float* b, int n) {
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
    atomicAdd(r, ab[0]);
    atomicAdd(r + 1, aa[0]);
  }
}

void dot_static(float* result, const float* a, const float* b, int n, int block) {
  float* products;
  cudaMalloc(&products, (n + 1) * sizeof(float));
  dot0<<<64, block>>>(products, a, b, n);
  add_all<<<1, 1>>>(result, products, n);
  cudaFree(products);
}

void dot_dynamic(float* result, const float* a, const float* b, int n, int block) {
  set_to_zero<<<1, 1>>>(result, 2);
  if (n > 0) {
    dot2<<<(n + block - 1) / block, block, block * 2 * sizeof(float)>>>(result, a, b, n);
  }
}
