// expect: nothing
// Small launches are tried out instead of compared with limits.
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <vector>
#include "index.h"
namespace cg = cooperative_groups;
__device__ int block_number() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__device__ int number() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__global__ void nothing() {}
Answers answers() {
  return {3 * 32 + 22,
          32 + 3,
          8 * 3 + 5,
          4 * 2 + 1,
          2 + 3 * 6 + 1 * 24,
          (2 + 18 + 24) / 32,
          (2 + 18 + 24) % 32,
          11,
          11 * 96 - 1000,
          2,
          64 - 45,
          32};
}
__global__ void number_line(int* ids, int n) {
  auto g = cg::this_grid();
  if (g.thread_rank() < n) ids[g.thread_rank()] = (int)g.thread_rank();
}
__global__ void number_plane(int* ids, int columns, int rows) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < columns && r < rows) ids[r * columns + c] = (int)cg::this_grid().thread_rank();
}
__global__ void number_space(int* ids, int columns, int rows, int layers) {
  auto g = cg::this_grid();
  auto b = cg::this_thread_block();
  dim3 t = b.thread_index(), k = b.group_index(), d = b.group_dim();
  int c = k.x * d.x + t.x, r = k.y * d.y + t.y, l = k.z * d.z + t.z;
  if (c < columns && r < rows && l < layers)
    ids[(l * rows + r) * columns + c] = (int)(g.block_rank() * b.size() + b.thread_rank());
}
__global__ void number_lanes(int* warps, int* lanes, int n) {
  int i = block_number() * blockDim.x * blockDim.y * blockDim.z + number();
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (i < n) {
    warps[i] = number() >> 5;
    lanes[i] = lane;
  }
}
__global__ void stir(unsigned* v, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int i = (t & ~63) + 2 * (t & 31) + (t >> 5 & 1);
  if (i >= n) return;
  if (t & 32)
    v[i] = stir_odd(v[i]);
  else
    v[i] = stir_even(v[i]);
}
dim3 grid_for(int columns, int rows, int layers, dim3 block) {
  auto up = [](unsigned n, unsigned d) { return n / d + (n % d != 0); };
  return {up(columns, block.x), up(rows, block.y), up(layers, block.z)};
}
bool can_launch(dim3 g, dim3 b) {
  if (1.0 * g.x * g.y * g.z * b.x * b.y * b.z < 100000) {  // small ones are tried out
    nothing<<<g, b>>>();
    return cudaGetLastError() == cudaSuccess;
  }
  int dev;
  cudaGetDevice(&dev);
  auto at = [=](cudaDeviceAttr a) {
    int v;
    cudaDeviceGetAttribute(&v, a, dev);
    return (unsigned long long)v;
  };
  return g.x && g.y && g.z && b.x && b.y && b.z && g.x <= at(cudaDevAttrMaxGridDimX) &&
         g.y <= at(cudaDevAttrMaxGridDimY) && g.z <= at(cudaDevAttrMaxGridDimZ) &&
         b.x <= at(cudaDevAttrMaxBlockDimX) && b.y <= at(cudaDevAttrMaxBlockDimY) &&
         b.z <= at(cudaDevAttrMaxBlockDimZ) &&
         1ull * b.x * b.y * b.z <= at(cudaDevAttrMaxThreadsPerBlock);
}
DeviceFacts describe_device(int d) {
  DeviceFacts f{};
  auto at = [=](cudaDeviceAttr a) {
    int v = 0;
    cudaDeviceGetAttribute(&v, a, d);
    return v;
  };
  f.major = at(cudaDevAttrComputeCapabilityMajor);
  f.minor = at(cudaDevAttrComputeCapabilityMinor);
  f.multiprocessors = at(cudaDevAttrMultiProcessorCount);
  f.threads_of_a_warp = at(cudaDevAttrWarpSize);
  f.most_threads_of_a_block = at(cudaDevAttrMaxThreadsPerBlock);
  int old;
  cudaGetDevice(&old);
  cudaSetDevice(d);
  size_t free;
  cudaMemGetInfo(&free, &f.memory_bytes);
  cudaSetDevice(old);
  return f;
}
int pick_device(int m) {
  int n = 0;
  cudaGetDeviceCount(&n);
  std::vector<cudaDeviceProp> all(n);
  for (int d = 0; d < n; ++d) {
    cudaGetDeviceProperties(&all[d], d);
    if (all[d].major == m) {
      cudaSetDevice(d);
      return d;
    }
  }
  return -1;
}
