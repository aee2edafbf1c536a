// expect: picked
// class: H4. Stays at the current device where it fits, though an earlier one fits, too.
// SPDX-License-Identifier: MIT
#include "index.h"

Answers answers() {
  Answers a;
  // Question 1: x = 3 * 32 + 22, y = 1 * 32 + 3.
  a.column_1 = 118;
  a.row_1 = 35;
  // Question 2: x = 3 * 8 + 5, y = 2 * 4 + 1.
  a.column_2 = 29;
  a.row_2 = 9;
  // Question 3: 2 + 3 * 6 + 1 * 6 * 4 = 44 = 1 * 32 + 12.
  a.number_3 = 44;
  a.warp_3 = 1;
  a.lane_3 = 12;
  // Question 4: 11 * 96 = 1056.
  a.blocks_4 = 11;
  a.idle_threads_4 = 56;
  // Question 5: 9 * 5 = 45 = 32 + 13.
  a.warps_5 = 2;
  a.idle_lanes_5 = 19;
  // Question 6: 32 * 32 = 1024.
  a.largest_side_6 = 32;
  return a;
}

static __device__ int threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

// x runs fastest: each step in y skips a row, each step in z a whole layer.
static __device__ int number_in_block() {
  return threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y;
}

static __device__ int unique_number() {
  const int block = blockIdx.x + blockIdx.y * gridDim.x + blockIdx.z * gridDim.x * gridDim.y;
  return block * threads_of_block() + number_in_block();
}

__global__ void number_line(int* ids, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ids[i] = unique_number();
}

__global__ void number_plane(int* ids, int columns, int rows) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < columns && row < rows) ids[row * columns + column] = unique_number();
}

__global__ void number_space(int* ids, int columns, int rows, int layers) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int layer = blockIdx.z * blockDim.z + threadIdx.z;
  if (column < columns && row < rows && layer < layers)
    ids[(layer * rows + row) * columns + column] = unique_number();
}

__global__ void number_lanes(int* warps, int* lanes, int n) {
  const int i = unique_number();
  if (i >= n) return;
  warps[i] = number_in_block() / warpSize;
  lanes[i] = number_in_block() % warpSize;
}

// Two neighbouring warps share 64 elements: the first takes the even ones, the second the odd ones.
__global__ void stir(unsigned* values, int n) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int warp = thread / warpSize, lane = thread % warpSize;
  const bool is_odd = warp % 2 == 1;
  const int i = warp / 2 * 2 * warpSize + 2 * lane + is_odd;
  if (i < n) values[i] = is_odd ? stir_odd(values[i]) : stir_even(values[i]);
}

static unsigned ceil_div(unsigned total, unsigned part) { return (total + part - 1) / part; }

dim3 grid_for(int columns, int rows, int layers, dim3 block) {
  return dim3(ceil_div(columns, block.x), ceil_div(rows, block.y), ceil_div(layers, block.z));
}

static bool fits(dim3 extents, const int* most) {
  return extents.x >= 1 && extents.y >= 1 && extents.z >= 1 &&
         extents.x <= static_cast<unsigned>(most[0]) &&
         extents.y <= static_cast<unsigned>(most[1]) && extents.z <= static_cast<unsigned>(most[2]);
}

bool can_launch(dim3 grid, dim3 block) {
  int device = 0;
  cudaDeviceProp properties;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    return false;
  }
  return fits(grid, properties.maxGridSize) && fits(block, properties.maxThreadsDim) &&
         block.x * block.y * block.z <= static_cast<unsigned>(properties.maxThreadsPerBlock);
}

DeviceFacts describe_device(int device) {
  DeviceFacts facts = {};
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) return facts;
  facts.major = properties.major;
  facts.minor = properties.minor;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.threads_of_a_warp = properties.warpSize;
  facts.most_threads_of_a_block = properties.maxThreadsPerBlock;
  facts.memory_bytes = properties.totalGlobalMem;
  return facts;
}

int pick_device(int required_major) {
  int current = 0;
  if (cudaGetDevice(&current) != cudaSuccess) return -1;
  if (describe_device(current).major == required_major) return current;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return -1;
  for (int device = 0; device < count; ++device) {
    if (describe_device(device).major != required_major) continue;
    return cudaSetDevice(device) == cudaSuccess ? device : -1;
  }
  return -1;
}
