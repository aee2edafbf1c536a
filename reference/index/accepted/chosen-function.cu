// expect: nothing
// Odd and even halves of each block; the function to call is a pointer.
// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <vector>
#include "index.h"
namespace cg = cooperative_groups;
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
  auto b = cg::this_thread_block();
  auto w = cg::tiled_partition<32>(b);
  unsigned long long i = cg::this_grid().thread_rank();
  if (i < n) {
    warps[i] = w.meta_group_rank();
    lanes[i] = w.thread_rank();
  }
}
__global__ void stir(unsigned* v, int n) {
  const int half = blockDim.x / 2;
  const bool odd = threadIdx.x >= half;
  const int i = blockIdx.x * blockDim.x + 2 * (threadIdx.x - (odd ? half : 0)) + odd;
  unsigned (*f)(unsigned) =
      odd ? [](unsigned x) { return stir_odd(x); } : [](unsigned x) { return stir_even(x); };
  if (i < n) v[i] = f(v[i]);
}
dim3 grid_for(int columns, int rows, int layers, dim3 block) {
  auto up = [](unsigned n, unsigned d) { return n / d + (n % d != 0); };
  return {up(columns, block.x), up(rows, block.y), up(layers, block.z)};
}
bool can_launch(dim3 g, dim3 b) {
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
