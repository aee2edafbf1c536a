// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your dot.cu implements and driver.cu calls.
//
// a, b and result are device memory that the driver allocates (so a and b start at multiples of 256
// bytes). result holds garbage when a function is called. n may be 0, and is at most 2^30. Kernels run in blocks of exactly
// `block` threads, 1 to 1024, which need not be a power of two, nor a multiple of 32; a kernel that
// multiplies nothing may have blocks of 1, 2 or 32 threads. The sums are finished on the device;
// the driver copies the result.

/// result[0] = a[0] * b[0] + a[1] * b[1] + ... + a[n-1] * b[n-1]. The sums of a block's threads meet
/// in a __shared__ array of fixed size.
void dot_static(float* result, const float* a, const float* b, int n, int block);

/// result[0] = the same and result[1] = a[0] * a[0] + ... + a[n-1] * a[n-1], in one pass over a and
/// b. Both sums meet in shared memory that the launch asks for: one buffer of 2 * block floats that
/// is carved into two arrays of block floats each.
void dot_dynamic(float* result, const float* a, const float* b, int n, int block);
