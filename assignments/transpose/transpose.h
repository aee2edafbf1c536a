// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your transpose.cu implements and driver.cu calls.
//
// `in` is a row-major matrix of rows x columns floats on the device, `out` one of columns x rows
// floats (rows x columns for copy), each without gaps. Both sizes are 1 or more and need not be
// multiples of anything; rows * columns is below 2^31, and neither is above 2 097 120, so that tiles of
// 32 fit along each axis of a grid. Each of the five functions launches one kernel on the default stream
// and returns; the kernel does its whole work, reading and writing, `repetitions` times.

/// out = in. Blocks of 32 x 32 threads, one element each, as in all of the lecture's kernels.
void copy(float* out, const float* in, int rows, int columns, int repetitions);

/// out = the transpose of in, straight from global memory to global memory.
void transpose_naive(float* out, const float* in, int rows, int columns, int repetitions);

/// The same through a tile in shared memory, so that warps read and write neighbouring elements.
void transpose_coalesced(float* out, const float* in, int rows, int columns, int repetitions);

/// The same without bank conflicts.
void transpose_no_conflicts(float* out, const float* in, int rows, int columns, int repetitions);

/// The same as fast as you can with blocks of 32 x 8 threads.
void transpose_32x8(float* out, const float* in, int rows, int columns, int repetitions);

/// One of the five functions above, or another of their kind.
using Launch = void (*)(float* out, const float* in, int rows, int columns, int repetitions);

/// Loop over launches: launches once as a warm-up, in each call anew, and then `count` times, with one
/// repetition each.
/// Returns the milliseconds that events measure from before the first of the `count` launches until
/// after the last.
float time_over(Launch launch, float* out, const float* in, int rows, int columns, int count);

/// Loop inside the kernel: launches once as a warm-up, in each call anew, and then once with `count`
/// repetitions.
/// Returns the milliseconds of the latter.
float time_inside(Launch launch, float* out, const float* in, int rows, int columns, int count);

/// The effective bandwidth in GB/s (10^9 bytes in a second) of `count` copies or transpositions that
/// took `ms` milliseconds together: each element is read once and written once.
double effective_bandwidth(int rows, int columns, int count, float ms);
