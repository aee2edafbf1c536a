// expect: near-reference
// No atomics: the blocks' sums go to a buffer, and a second launch adds them up. Warps add by shuffles.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "dot.h"

namespace {

constexpr int kBlocks = 512;

struct Sums {
  float ab, aa;
};

__device__ Sums operator+(Sums x, Sums y) { return {x.ab + y.ab, x.aa + y.aa}; }

__device__ Sums over_warp(Sums mine) {
  const unsigned lanes = __activemask();
  const unsigned lane = threadIdx.x % 32;
  for (unsigned step = 16; step > 0; step /= 2) {
    const Sums other = {__shfl_down_sync(lanes, mine.ab, step),
                        __shfl_down_sync(lanes, mine.aa, step)};
    // The last warp may have fewer lanes.
    if (lane + step < min(32u, blockDim.x - threadIdx.x / 32 * 32)) mine = mine + other;
  }
  return mine;
}

/// The block's sum, in its first thread. `by_warp` has room for a number of each warp.
__device__ Sums over_block(Sums mine, float* ab, float* aa) {
  const unsigned warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  mine = over_warp(mine);
  if (threadIdx.x % 32 == 0) {
    ab[warp] = mine.ab;
    aa[warp] = mine.aa;
  }
  __syncthreads();
  Sums all = {0.0f, 0.0f};
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < warps; ++i) all = all + Sums{ab[i], aa[i]};
  }
  return all;
}

__device__ Sums of_terms(const float* __restrict__ a, const float* __restrict__ b, int n) {
  Sums mine = {0.0f, 0.0f};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float x = __ldg(a + i);
    mine = mine + Sums{x * __ldg(b + i), x * x};
  }
  return mine;
}

__global__ void products(float* partial, const float* a, const float* b, int n) {
  __shared__ float ab[32], aa[32];
  const Sums sums = over_block(of_terms(a, b, n), ab, aa);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums.ab;
}

__global__ void products_and_squares(float2* partial, const float* a, const float* b, int n) {
  extern __shared__ float carved[];
  const Sums sums = over_block(of_terms(a, b, n), carved, carved + blockDim.x);
  if (threadIdx.x == 0) partial[blockIdx.x] = make_float2(sums.ab, sums.aa);
}

__global__ void finish(float* result, const float* partial, int count) {
  __shared__ float ab[32], aa[32];
  Sums mine = {0.0f, 0.0f};
  for (int i = threadIdx.x; i < count; i += blockDim.x) mine.ab += partial[i];
  const Sums sums = over_block(mine, ab, aa);
  if (threadIdx.x == 0) *result = sums.ab;
}

__global__ void finish_both(float* result, const float2* partial, int count) {
  extern __shared__ float carved[];
  Sums mine = {0.0f, 0.0f};
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    mine = mine + Sums{partial[i].x, partial[i].y};
  const Sums sums = over_block(mine, carved, carved + blockDim.x);
  if (threadIdx.x == 0) {
    result[0] = sums.ab;
    result[1] = sums.aa;
  }
}

int blocks_for(int n, int block) { return std::clamp(n / block, 1, kBlocks); }

}  // namespace

void dot_static(float* result, const float* a, const float* b, int n, int block) {
  float* partial = nullptr;
  const int blocks = blocks_for(n, block);
  cudaMallocAsync(&partial, blocks * sizeof(float), nullptr);
  products<<<blocks, block>>>(partial, a, b, n);
  finish<<<1, block>>>(result, partial, blocks);
  cudaFreeAsync(partial, nullptr);
}

void dot_dynamic(float* result, const float* a, const float* b, int n, int block) {
  float2* partial = nullptr;
  const int blocks = blocks_for(n, block);
  const size_t bytes = sizeof(float[2]) * block;
  cudaMalloc(&partial, blocks * sizeof(float2));
  products_and_squares<<<blocks, block, bytes>>>(partial, a, b, n);
  finish_both<<<1, block, bytes>>>(result, partial, blocks);
  cudaFree(partial);
}
