// expect: static-array
// class: B1. In blocks that are no multiple of a warp each thread adds its sum to the result in global memory.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "dot.h"

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t error_ = (call);                                   \
    if (error_ != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error_));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

static const int kMostThreads = 1024;               // of a block
static const int kThreadsPerMultiprocessor = 2048;  // that fit at a time
static const int kVector = 4;                       // floats that one load brings

// Takes values[0..blockDim.x) together in values[0]. Each round adds the upper half to the lower; of
// an odd number the middle one waits. Between two rounds everybody must have written.
__device__ void reduce(float* values) {
  for (unsigned left = blockDim.x; left > 1;) {
    const unsigned half = (left + 1) / 2;
    __syncthreads();
    if (threadIdx.x + half < left) values[threadIdx.x] += values[threadIdx.x + half];
    left = half;
  }
}

// Calls add(a[i], b[i]) for this thread's share of 0..n: four at a time, then what is left over.
// Neighbouring threads take neighbouring places, and the whole grid strides.
template <class Add>
__device__ void for_my_terms(const float* a, const float* b, int n, Add add) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  const int vectors = n / kVector;
  for (int i = first; i < vectors; i += stride) {
    const float4 x = reinterpret_cast<const float4*>(a)[i];
    const float4 y = reinterpret_cast<const float4*>(b)[i];
    add(x.x, y.x);
    add(x.y, y.y);
    add(x.z, y.z);
    add(x.w, y.w);
  }
  for (int i = vectors * kVector + first; i < n; i += stride) add(a[i], b[i]);
}

__global__ void dot_kernel(float* result, const float* a, const float* b, int n) {
  __shared__ float sums[kMostThreads];
  float sum = 0.0f;
  for_my_terms(a, b, n, [&](float x, float y) { sum += x * y; });
  sums[threadIdx.x] = sum;
  reduce(sums);
  if (threadIdx.x == 0) atomicAdd(result, sums[0]);
}

__global__ void dot_without_array(float* result, const float* a, const float* b, int n) {
  float sum = 0.0f;
  for_my_terms(a, b, n, [&](float x, float y) { sum += x * y; });
  atomicAdd(result, sum);
}

__global__ void dot_and_square_kernel(float* result, const float* a, const float* b, int n) {
  extern __shared__ float buffer[];
  float* products = buffer;
  float* squares = buffer + blockDim.x;
  float product = 0.0f, square = 0.0f;
  for_my_terms(a, b, n, [&](float x, float y) {
    product += x * y;
    square += x * x;
  });
  products[threadIdx.x] = product;
  squares[threadIdx.x] = square;
  reduce(products);
  reduce(squares);
  if (threadIdx.x == 0) {
    atomicAdd(&result[0], products[0]);
    atomicAdd(&result[1], squares[0]);
  }
}

// As many blocks as run at the same time, or fewer where there is less to do.
static int blocks_for(int n, int block) {
  int device = 0, multiprocessors = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const int at_once = multiprocessors * (kThreadsPerMultiprocessor / block);
  const int per_block = kVector * block;
  return std::max(1, std::min(at_once, (n - 1) / per_block + 1));
}

void dot_static(float* result, const float* a, const float* b, int n, int block) {
  CHECK(cudaMemset(result, 0, sizeof(float)));
  if (n == 0) return;
  const auto kernel = block % 32 == 0 ? dot_kernel : dot_without_array;
  kernel<<<blocks_for(n, block), block>>>(result, a, b, n);
  CHECK(cudaGetLastError());
}

void dot_dynamic(float* result, const float* a, const float* b, int n, int block) {
  CHECK(cudaMemset(result, 0, 2 * sizeof(float)));
  if (n == 0) return;
  const size_t shared_bytes = 2 * static_cast<size_t>(block) * sizeof(float);
  dot_and_square_kernel<<<blocks_for(n, block), block, shared_bytes>>>(result, a, b, n);
  CHECK(cudaGetLastError());
}
