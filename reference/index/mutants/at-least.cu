// expect: picked
// class: H4. Takes any device of at least the major number.
// SPDX-License-Identifier: MIT
#include "index.h"

Answers answers(void) {
  struct Answers a;
  a.column_1 = 3 * 32 + 22, a.row_1 = 1 * 32 + 3;
  a.column_2 = 3 * 8 + 5, a.row_2 = 2 * 4 + 1;
  a.number_3 = 2 + 3 * 6 + 1 * 24, a.warp_3 = a.number_3 / 32, a.lane_3 = a.number_3 % 32;
  a.blocks_4 = (1000 + 95) / 96, a.idle_threads_4 = a.blocks_4 * 96 - 1000;
  a.warps_5 = (9 * 5 + 31) / 32, a.idle_lanes_5 = a.warps_5 * 32 - 9 * 5;
  a.largest_side_6 = 32;
  return a;
}

__global__ void number_line(int* ids, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (unsigned)n) ids[i] = i;
}

__global__ void number_plane(int* ids, int columns, int rows) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int block = blockIdx.y * gridDim.x + blockIdx.x;
  int thread = threadIdx.y * blockDim.x + threadIdx.x;
  if (r < rows && c < columns) ids[r * columns + c] = block * blockDim.x * blockDim.y + thread;
}

__global__ void number_space(int* ids, int columns, int rows, int layers) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int l = blockIdx.z * blockDim.z + threadIdx.z;
  int block = blockIdx.z * gridDim.y * gridDim.x + blockIdx.y * gridDim.x + blockIdx.x;
  int thread = threadIdx.z * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x;
  if (l < layers && r < rows && c < columns)
    ids[l * rows * columns + r * columns + c] =
        block * blockDim.x * blockDim.y * blockDim.z + thread;
}

__global__ void number_lanes(int* warps, int* lanes, int n) {
  int threads = blockDim.x * blockDim.y * blockDim.z;
  int thread = threadIdx.z * blockDim.y * blockDim.x + threadIdx.y * blockDim.x + threadIdx.x;
  int i = blockIdx.x * threads + thread;
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (i < n) {
    warps[i] = (thread - lane) / 32;
    lanes[i] = lane;
  }
}

__global__ void stir(unsigned* values, int n) {
  int start = blockIdx.x * blockDim.x + threadIdx.x / 64 * 64;
  int k = threadIdx.x % 64;
  int i;
  if (k < 32) {
    i = start + 2 * k + 1;
    if (i < n) values[i] = stir_odd(values[i]);
  } else {
    i = start + 2 * (k - 32);
    if (i < n) values[i] = stir_even(values[i]);
  }
}

dim3 grid_for(int columns, int rows, int layers, dim3 block) {
  dim3 grid;
  grid.x = columns / block.x + (columns % block.x ? 1 : 0);
  grid.y = rows / block.y + (rows % block.y ? 1 : 0);
  grid.z = layers / block.z + (layers % block.z ? 1 : 0);
  return grid;
}

bool can_launch(dim3 grid, dim3 block) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return false;
  if (block.x == 0 || block.y == 0 || block.z == 0) return false;
  if (block.x > 1024 || block.y > 1024 || block.z > 64) return false;
  if (block.x * block.y * block.z > 1024) return false;
  return grid.x <= 2147483647u && grid.y <= 65535 && grid.z <= 65535;
}

DeviceFacts describe_device(int device) {
  cudaDeviceProp p;
  DeviceFacts f;
  cudaGetDeviceProperties(&p, device);
  f.major = p.major;
  f.minor = p.minor;
  f.multiprocessors = p.multiProcessorCount;
  f.threads_of_a_warp = p.warpSize;
  f.most_threads_of_a_block = p.maxThreadsPerBlock;
  f.memory_bytes = p.totalGlobalMem;
  return f;
}

int pick_device(int required_major) {
  int n, d = 0;
  cudaGetDeviceCount(&n);
  while (d < n) {
    if (describe_device(d).major >= required_major) {
      cudaSetDevice(d);
      return d;
    }
    d++;
  }
  return -1;
}
