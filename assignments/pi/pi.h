// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// The contract: what your pi.cu implements and driver.cu calls. All pointers are host memory. There
// is at least one point.

/// Fills x and y with the coordinates of n random points of the unit square, each from 0 to 1. The
/// same seed gives the same points, another seed others.
void random_points(float* x, float* y, size_t n, unsigned seed);

/// 4 * inside / points in double precision, for any counts up to 2^62.
double pi_from(unsigned long long inside, unsigned long long points);

struct Estimate {
  unsigned long long inside;  ///< points with x * x + y * y <= 1, counted on the device
  double pi;                  ///< pi_from(inside, n)
  float kernel_ms;            ///< time of the counting kernel alone, measured by events
};

/// Version 1: points and counter in global memory, and no shared memory. The counter is one unsigned
/// long long. Copies x and y to the device, counts in blocks of `block` threads, 1 to 1024, copies
/// the counter back, and frees everything.
Estimate estimate_global(const float* x, const float* y, size_t n, int block);

/// Version 2: the same, but the threads of a block count together in shared memory, and a block
/// changes the counter at most once.
Estimate estimate_shared(const float* x, const float* y, size_t n, int block);
