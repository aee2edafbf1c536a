// expect: nothing
// Shuffles and float4 in one version, cooperative groups and an own stream in the other.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "dot.h"
#define OK(call)                                                \
  do {                                                          \
    const cudaError_t error_ = (call);                          \
    if (error_ != cudaSuccess) {                                \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error_)); \
      std::exit(1);                                             \
    }                                                           \
  } while (false)
static int grid_for(int n, int block) {
  return std::max(1, std::min((n + block - 1) / block, 132 * (2048 / block)));
}

__device__ float warp_sum(float v) {
  unsigned mask = __activemask();
  unsigned lane = threadIdx.x % 32;
  for (int d = 16; d > 0; d /= 2) {
    float o = __shfl_down_sync(mask, v, d);
    if (lane + d < __popc(mask)) v += o;
  }
  return v;
}
__global__ void one(float* r, const float* a, const float* b, int n) {
  __shared__ float w[32];
  float v = 0;
  int q = n / 4;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < q; i += gridDim.x * blockDim.x) {
    float4 x = __ldg((const float4*)a + i), y = __ldg((const float4*)b + i);
    v = fmaf(x.x, y.x, v);
    v = fmaf(x.y, y.y, v);
    v = fmaf(x.z, y.z, v);
    v = fmaf(x.w, y.w, v);
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x < n - 4 * q)
    v += a[4 * q + threadIdx.x] * b[4 * q + threadIdx.x];
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    for (int i = 4 * q + blockDim.x; i < n; ++i) v += a[i] * b[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float t = 0;
    for (unsigned i = 0; i < (blockDim.x + 31) / 32; ++i) t += w[i];
    atomicAdd(r, t);
  }
}
__global__ void clear(float* r, int many) {
  for (int i = 0; i < many; ++i) r[i] = 0;
}
void dot_static(float* r, const float* a, const float* b, int n, int block) {
  void* args[] = {&r, &a, &b, &n};
  clear<<<1, 1>>>(r, 1);
  OK(cudaLaunchKernel((const void*)one, dim3(grid_for(n / 4, block)), dim3(block), args, 0, 0));
}

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void two(float* r, const float* a, const float* b, int n) {
  extern __shared__ float4 raw[];
  cg::thread_block g = cg::this_thread_block();
  float* p = (float*)raw;
  float* q = p + g.size();
  float v = 0, w = 0;
  for (unsigned long long i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().size()) {
    float x = a[i];
    v += x * b[i];
    w += x * x;
  }
  p[g.thread_rank()] = v;
  q[g.thread_rank()] = w;
  g.sync();
  if (g.thread_rank() < 32) {
    auto warp = cg::coalesced_threads();
    v = w = 0;
    for (unsigned i = warp.thread_rank(); i < g.size(); i += warp.size()) {
      v += p[i];
      w += q[i];
    }
    v = cg::reduce(warp, v, cg::plus<float>());
    w = cg::reduce(warp, w, cg::plus<float>());
    if (warp.thread_rank() < 2) {
      atomicAdd(r + warp.thread_rank(), warp.thread_rank() ? w : v);
      if (warp.size() == 1) atomicAdd(r + 1, w);
    }
  }
}
void dot_dynamic(float* r, const float* a, const float* b, int n, int block) {
  cudaStream_t s;
  OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  OK(cudaMemsetAsync(r, 0, 8, s));
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(grid_for(n, block));
  c.blockDim = dim3(block);
  c.dynamicSmemBytes = 8 * block;
  c.stream = s;
  OK(cudaLaunchKernelEx(&c, two, r, a, b, n));
  OK(cudaStreamSynchronize(s));
  OK(cudaStreamDestroy(s));
}
