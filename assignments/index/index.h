// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your index.cu implements and driver.cu calls. The driver launches the kernels,
// with enough blocks for all cells and mostly with some threads too many.

// Part 1: on paper.

/// Your answers to questions 1 to 6 of the handout.
struct Answers {
  int column_1, row_1;           ///< question 1
  int column_2, row_2;           ///< question 2
  int number_3, warp_3, lane_3;  ///< question 3
  int blocks_4, idle_threads_4;  ///< question 4
  int warps_5, idle_lanes_5;     ///< question 5
  int largest_side_6;            ///< question 6
};

Answers answers();

// Part 2: who am I? The unique number of a thread is
//   (number of its block in the grid) * (threads of a block) + (its number in its block),
// both numbers counted from 0, with x running fastest, then y, then z.

/// In a grid and blocks of one dimension: ids[i] becomes the unique number of the thread that is
/// i-th from the left, for i < n.
__global__ void number_line(int* ids, int n);

/// In two: the thread in column c (along x) and row r (along y) of the grid's threads writes its
/// unique number to ids[r * columns + c], where it lies inside columns x rows.
__global__ void number_plane(int* ids, int columns, int rows);

/// In three: to ids[(l * rows + r) * columns + c] in layer l (along z) of columns x rows x layers.
__global__ void number_space(int* ids, int columns, int rows, int layers);

/// A grid of one dimension, of blocks of up to three: the thread whose unique number is i writes the
/// warp of its block that it belongs to into warps[i] and its place in that warp into lanes[i], both
/// counted from 0, for i < n.
__global__ void number_lanes(int* warps, int* lanes, int n);

// Part 3: divergence.

/// What becomes of an element at an even index.
__device__ inline unsigned stir_even(unsigned value) {
#pragma unroll
  for (int k = 0; k < 48; ++k) value = (value ^ (value >> 15)) * 2246822519u;
  return value;
}

/// What becomes of an element at an odd index.
__device__ inline unsigned stir_odd(unsigned value) {
#pragma unroll
  for (int k = 0; k < 48; ++k) value = (value << 7) + (value >> 3) + 2654435769u;
  return value;
}

/// values[i] becomes stir_even(values[i]) where i is even and stir_odd(values[i]) where i is odd,
/// for i < n. No warp diverges, except that the warps at the end may where n is no multiple of 64; and
/// no warp computes what it does not need. How many elements a thread stirs, and which, is yours to
/// choose. The grid has n threads, rounded up to whole blocks; blocks have one dimension and a
/// multiple of 64 threads.
__global__ void stir(unsigned* values, int n);

// Part 4: the host's view.

/// The smallest grid of such blocks that covers columns x rows x layers (along x, y, z; each at
/// least 1).
dim3 grid_for(int columns, int rows, int layers, dim3 block);

/// Whether the current device takes a launch of this grid and this block.
bool can_launch(dim3 grid, dim3 block);

struct DeviceFacts {
  int major, minor;  ///< compute capability
  int multiprocessors;
  int threads_of_a_warp;
  int most_threads_of_a_block;
  size_t memory_bytes;  ///< global memory
};

/// The current device stays the one that it is.
DeviceFacts describe_device(int device);

/// Makes the first device whose compute capability has this major number the current one and returns
/// its number. Returns -1, with nothing changed, where the machine has none.
int pick_device(int required_major);
