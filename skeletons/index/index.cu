// SPDX-License-Identifier: MIT
// Threads, blocks, warps and devices. The statement is in assignments/index/handout.md, the contract
// in index.h. Work through the TODOs in order; test with: meson test -C build --suite index
#include "index.h"

// TODO 1: Your answers to questions 1 to 6 of the handout, worked out on paper.
Answers answers() {
  Answers a = {};
  return a;
}

// TODO 2: The number of this thread in its block, x running fastest.
static __device__ int number_in_block() { return -1; }

// TODO 3: Its number in the whole grid: number of the block times threads of a block, plus the above.
static __device__ int unique_number() { return -1 + 0 * number_in_block(); }

// TODO 4: Which cell is this thread's? Not every thread has one.
__global__ void number_line(int* ids, int n) { (void)ids, (void)n, (void)unique_number(); }

// TODO 5: The same in two dimensions. Columns belong to x, rows to y.
__global__ void number_plane(int* ids, int columns, int rows) {
  (void)ids, (void)columns, (void)rows;
}

// TODO 6: And in three. Layers belong to z.
__global__ void number_space(int* ids, int columns, int rows, int layers) {
  (void)ids, (void)columns, (void)rows, (void)layers;
}

// TODO 7: Threads are put into warps in the order of their numbers in the block.
__global__ void number_lanes(int* warps, int* lanes, int n) { (void)warps, (void)lanes, (void)n; }

// TODO 8: Start with thread i stirring element i. Then choose another element for each thread, so
// that all threads of a warp call the same function.
__global__ void stir(unsigned* values, int n) { (void)values, (void)n; }

// TODO 9: Round up, in each dimension.
dim3 grid_for(int columns, int rows, int layers, dim3 block) {
  (void)columns, (void)rows, (void)layers, (void)block;
  return dim3(0, 0, 0);
}

// TODO 10: Ask cudaGetDeviceProperties for the limits of the current device.
bool can_launch(dim3 grid, dim3 block) {
  (void)grid, (void)block;
  return false;
}

// TODO 11: From cudaGetDeviceProperties, too.
DeviceFacts describe_device(int device) {
  (void)device;
  return {};
}

// TODO 12: Look at each device (cudaGetDeviceCount says how many there are); cudaSetDevice makes one
// the current one.
int pick_device(int required_major) {
  (void)required_major;
  return -1;
}
