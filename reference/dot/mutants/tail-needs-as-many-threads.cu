// expect: static-any-block, dynamic-any-block, each-read-once?, one-pass?, near-reference?
// class: T1. The terms that fours leave over have a thread each, of which two threads are too few.
// SPDX-License-Identifier: MIT
#include <cuda/atomic>
#include <stdexcept>

#include "dot.h"

namespace {

constexpr int kMost = 512;
__device__ float partial[2][kMost];
__device__ unsigned arrived;

void must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

struct Sums {
  float ab = 0, aa = 0;
  __device__ void take(float a, float b) { ab += a * b, aa += a * a; }
};

__device__ Sums own_sums(const float* a, const float* b, int n) {
  Sums sums;
  const int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x,
            fours = n / 4;
  for (int i = first; i < fours; i += stride) {
    const float4 x = reinterpret_cast<const float4*>(a)[i],
                 y = reinterpret_cast<const float4*>(b)[i];
    sums.take(x.x, y.x), sums.take(x.y, y.y), sums.take(x.z, y.z), sums.take(x.w, y.w);
  }
  if (first < n % 4) sums.take(a[4 * fours + first], b[4 * fours + first]);
  return sums;
}

/// values[0] becomes the sum of all.
__device__ void reduce(float* values) {
  __syncthreads();
  for (unsigned count = blockDim.x; count > 1;) {
    const unsigned half = (count + 1) / 2;
    if (threadIdx.x + half < count) values[threadIdx.x] += values[threadIdx.x + half];
    count = half;
    __syncthreads();
  }
}

/// Whether this block is the last to leave its sums. In thread 0.
__device__ bool is_last() {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(arrived);
  return count.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
}

__device__ void finish(float* result, int results, float* mine) {
  for (int r = 0; r < results; ++r) partial[r][blockIdx.x] = mine[r];
  if (!is_last()) return;
  for (int r = 0; r < results; ++r) {
    float sum = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) sum += partial[r][k];
    result[r] = sum;
  }
  arrived = 0;
}

__global__ void one_sum(float* result, const float* a, const float* b, int n) {
  __shared__ float sums[1024];
  sums[threadIdx.x] = own_sums(a, b, n).ab;
  reduce(sums);
  if (threadIdx.x == 0) finish(result, 1, sums);
}

__global__ void two_sums(float* result, const float* a, const float* b, int n) {
  extern __shared__ float shared[];
  float* const ab = shared;
  float* const aa = shared + blockDim.x;
  const Sums sums = own_sums(a, b, n);
  ab[threadIdx.x] = sums.ab, aa[threadIdx.x] = sums.aa;
  reduce(ab);
  reduce(aa);
  if (threadIdx.x != 0) return;
  float mine[2] = {ab[0], aa[0]};
  finish(result, 2, mine);
}

int blocks_for(int n, int block) {
  const int wanted = (n / 4 + block - 1) / block;
  return wanted < 1 ? 1 : wanted < kMost ? wanted : kMost;
}

}  // namespace

void dot_static(float* result, const float* a, const float* b, int n, int block) {
  one_sum<<<blocks_for(n, block), block>>>(result, a, b, n);
  must(cudaGetLastError());
}

void dot_dynamic(float* result, const float* a, const float* b, int n, int block) {
  two_sums<<<blocks_for(n, block), block, sizeof(float) * 2 * block>>>(result, a, b, n);
  must(cudaGetLastError());
}
