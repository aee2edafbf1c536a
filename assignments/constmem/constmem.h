// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

// The contract: what your constmem.cu implements and driver.cu calls.
//
// A filter has a number of coefficients, its taps. It makes y from x:
//   y[i] = taps[0] * x[i] + taps[1] * x[i - 1] + ... + taps[count - 1] * x[i - count + 1]
// and what would lie before x[0] counts as 0.

constexpr int kMaxTaps = 4096;  ///< 16 KB of the 64 KB of constant memory

/// Copies taps[0], ..., taps[count - 1] of the host to taps first, ..., first + count - 1 in constant
/// memory and leaves the others as they are. Returns false, with nothing changed, where they do not
/// lie between 0 and kMaxTaps. count >= 1.
bool load_taps(const float* taps, int first, int count);

/// One launch: filters with the first `count` taps of constant memory. x and y are n floats of device
/// memory; n >= 1, and it may be less than count.
void filter(float* y, const float* x, int n, int count);

/// The same with taps in global memory: count floats that the kernel gets as a pointer.
void filter_global(float* y, const float* x, int n, const float* taps, int count);
