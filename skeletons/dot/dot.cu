// SPDX-License-Identifier: MIT
// The dot product in shared memory. The statement is in assignments/dot/handout.md, the contract in
// dot.h. Work through the TODOs in order; test with: meson test -C build --suite dot
#include <cstdio>
#include <cstdlib>

#include "dot.h"

// TODO 1: Take values[0..blockDim.x) together in values[0]. In each round the lower half of what is
// left adds the upper half to itself; what is left may be odd. All threads of the block call this,
// and all of them must reach each barrier.
__device__ void reduce(float* values) { (void)values; }

// TODO 2: Sum up this thread's terms in a register (start at the thread's place in the grid, stride
// by the number of threads in the grid), store the sum in a __shared__ array, reduce, and let one
// thread add the block's sum to *result by atomicAdd.
__global__ void dot_kernel(float* result, const float* a, const float* b, int n) {
  (void)result, (void)a, (void)b, (void)n;
  (void)reduce;  // goes when you call it
}

// TODO 3: Set *result to 0, choose a number of blocks, and launch.
void dot_static(float* result, const float* a, const float* b, int n, int block) {
  (void)result, (void)a, (void)b, (void)n, (void)block;
  (void)dot_kernel;  // goes when you launch it
}

// TODO 4: The same for two sums at once. Carve the buffer: the first blockDim.x floats are for the
// products, those behind them for the squares.
__global__ void dot_and_square_kernel(float* result, const float* a, const float* b, int n) {
  extern __shared__ float buffer[];
  (void)buffer, (void)result, (void)a, (void)b, (void)n;
}

// TODO 5: Set both results to 0, and launch with the buffer's size in bytes as the third argument
// between <<< and >>>.
void dot_dynamic(float* result, const float* a, const float* b, int n, int block) {
  (void)result, (void)a, (void)b, (void)n, (void)block;
  (void)dot_and_square_kernel;  // goes when you launch it
}
