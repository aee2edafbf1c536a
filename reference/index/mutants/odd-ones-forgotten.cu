// expect: stirred, no-divergence, no-detour
// class: G3. The second half of the threads takes even elements too: one step off, and stirred twice.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "index.h"

namespace {

struct Me {
  int x, y, z;   // among all threads of the grid
  int in_block;  // number in the block
  int unique;

  __device__ Me() {
    x = blockDim.x * blockIdx.x + threadIdx.x;
    y = blockDim.y * blockIdx.y + threadIdx.y;
    z = blockDim.z * blockIdx.z + threadIdx.z;
    in_block = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unique = block * (blockDim.x * blockDim.y * blockDim.z) + in_block;
  }
};

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cudaDeviceGetAttribute(&value, which, device);
  return value;
}

__host__ __device__ bool within(long value, long most) { return 0 < value && value <= most; }

}  // namespace

Answers answers() { return {118, 35, 29, 9, 44, 1, 12, 11, 56, 2, 19, 32}; }

__global__ void number_line(int* ids, int n) {
  const Me me;
  for (int i = me.x; i < n; i += n) ids[i] = me.unique;
}

__global__ void number_plane(int* ids, int columns, int rows) {
  const Me me;
  if (me.x >= columns) return;
  if (me.y >= rows) return;
  int* row = ids + me.y * columns;
  row[me.x] = me.unique;
}

__global__ void number_space(int* ids, int columns, int rows, int layers) {
  const Me me;
  const bool inside = me.x < columns & me.y < rows & me.z < layers;
  if (inside) ids[me.z * rows * columns + me.y * columns + me.x] = me.unique;
}

__global__ void number_lanes(int* warps, int* lanes, int n) {
  const Me me;
  if (me.unique < n) {
    warps[me.unique] = me.in_block >> 5;
    lanes[me.unique] = me.in_block & 31;
  }
}

// The first half of the threads takes the even elements, the second half the odd ones.
__global__ void stir(unsigned* values, int n) {
  const int thread = threadIdx.x + blockIdx.x * blockDim.x;
  const int evens = (n + 1) / 2;
  if (thread < evens) {
    values[2 * thread] = stir_even(values[2 * thread]);
  } else if (thread < n) {
    values[2 * (thread - evens)] = stir_odd(values[2 * (thread - evens)]);
  }
}

dim3 grid_for(int columns, int rows, int layers, dim3 block) {
  return {1 + (columns - 1) / block.x, 1 + (rows - 1) / block.y, 1 + (layers - 1) / block.z};
}

bool can_launch(dim3 grid, dim3 block) {
  int d;
  if (cudaGetDevice(&d)) return false;
  return within(grid.x, attribute(cudaDevAttrMaxGridDimX, d)) &&
         within(grid.y, attribute(cudaDevAttrMaxGridDimY, d)) &&
         within(grid.z, attribute(cudaDevAttrMaxGridDimZ, d)) &&
         within(block.x, attribute(cudaDevAttrMaxBlockDimX, d)) &&
         within(block.y, attribute(cudaDevAttrMaxBlockDimY, d)) &&
         within(block.z, attribute(cudaDevAttrMaxBlockDimZ, d)) &&
         within(1L * block.x * block.y * block.z, attribute(cudaDevAttrMaxThreadsPerBlock, d));
}

DeviceFacts describe_device(int device) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, device);
  return {attribute(cudaDevAttrComputeCapabilityMajor, device),
          attribute(cudaDevAttrComputeCapabilityMinor, device),
          attribute(cudaDevAttrMultiProcessorCount, device),
          attribute(cudaDevAttrWarpSize, device),
          attribute(cudaDevAttrMaxThreadsPerBlock, device),
          p.totalGlobalMem};
}

int pick_device(int required_major) {
  int count = 0, found = -1;
  cudaGetDeviceCount(&count);
  for (int i = count - 1; i >= 0; --i)
    if (attribute(cudaDevAttrComputeCapabilityMajor, i) == required_major) found = i;
  if (found >= 0) cudaSetDevice(found);
  return found;
}
