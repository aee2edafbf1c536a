// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// The contract: what your histogram.cu implements and driver.cu calls.
//
// All arguments lie on the host. `data` is `size` bytes, 0 or more; `counts` has kBins elements, and
// counts[v] becomes the number of bytes of `data` whose value is v. Whatever stood in `counts` before
// means nothing. Both histograms are computed on the current device, in blocks of `threads` threads
// (any number from 1 to 1024), two blocks for each of its multiprocessors.

constexpr int kBins = 256;

/// Part 1: each byte is counted straight in global memory. Returns the time of the kernel in
/// milliseconds, measured by events.
float histogram_global(unsigned int* counts, const unsigned char* data, size_t size, int threads);

/// Part 2: the same with counts of each block in shared memory, which the block adds to those in
/// global memory at the end: at most one addition for each bin.
float histogram_shared(unsigned int* counts, const unsigned char* data, size_t size, int threads);

/// Tells whether `counts` is the histogram of `data`: each bin, not only their sum.
bool histogram_is_right(const unsigned int* counts, const unsigned char* data, size_t size);
