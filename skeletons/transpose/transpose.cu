// SPDX-License-Identifier: MIT
// Matrix transpose and effective bandwidth. The statement is in assignments/transpose/handout.md, the
// contract in transpose.h. Work through the TODOs in order; test with:
// meson test -C build --suite transpose
#include <cstdio>
#include <cstdlib>

#include "transpose.h"

// TODO 1: Copy. Let each thread find its column (from x) and its row (from y), stay idle outside the
// matrix, and otherwise move one element, `repetitions` times.
__global__ void copy_kernel(float* out, const float* in, int rows, int columns, int repetitions) {
  (void)out, (void)in, (void)rows, (void)columns, (void)repetitions;
}

// TODO 2: Launch it with 32 x 32 threads and enough blocks for every size.
void copy(float* out, const float* in, int rows, int columns, int repetitions) {
  (void)out, (void)in, (void)rows, (void)columns, (void)repetitions;
  (void)copy_kernel;  // goes when you launch it
}

// TODO 3: Milliseconds from before the first to after the last of `count` launches with one
// repetition each. Launch once before, outside the time; record one event before and one after.
float time_over(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  (void)launch, (void)out, (void)in, (void)rows, (void)columns, (void)count;
  return 0.0f;
}

// TODO 4: Milliseconds of one launch with `count` repetitions, again after one outside the time.
float time_inside(Launch launch, float* out, const float* in, int rows, int columns, int count) {
  (void)launch, (void)out, (void)in, (void)rows, (void)columns, (void)count;
  return 0.0f;
}

// TODO 5: Bytes read and written in all, divided by the time, in 10^9 bytes a second. Can an int
// hold that many bytes?
double effective_bandwidth(int rows, int columns, int count, float ms) {
  (void)rows, (void)columns, (void)count, (void)ms;
  return 0.0;
}

// TODO 6: The naive transpose: element (row, column) of `in` goes to (column, row) of `out`. How long
// is a row of `out`?
void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions) {
  (void)out, (void)in, (void)rows, (void)columns, (void)repetitions;
}

// TODO 7: Through a tile of 32 x 32 floats in shared memory. The block reads a tile of `in` by rows
// and writes the transposed tile of `out`, which lies elsewhere, by rows too. Two barriers.
void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions) {
  (void)out, (void)in, (void)rows, (void)columns, (void)repetitions;
}

// TODO 8: The same, but no two threads of a warp meet in a bank.
void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions) {
  (void)out, (void)in, (void)rows, (void)columns, (void)repetitions;
}

// TODO 9: The same with 32 x 8 threads, each of which moves four elements of the tile.
void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions) {
  (void)out, (void)in, (void)rows, (void)columns, (void)repetitions;
}
