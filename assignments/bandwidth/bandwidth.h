// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// The contract: what your bandwidth.cu implements and driver.cu calls.

enum class Type { kInt, kFloat, kDouble };

enum class Access {
  kOffset,  ///< thread i works on element i + s
  kStride,  ///< thread i works on element i * s
};

/// Which word thread i reads, in words of 4 bytes; w is the number of its warp, i / 32.
enum class Pattern {
  kAligned,     ///< i
  kPermuted,    ///< the warp's words in reverse: 32 * w + 31 - i % 32
  kMisaligned,  ///< i + 1
  kSameWord,    ///< 32 * w
  kScattered,   ///< 32 * i
};

/// One row of the table of a sweep.
struct Measurement {
  int s;
  float ms;
  double gb_per_s;
};

/// What one load of a warp moves.
struct Traffic {
  int useful_bytes;  ///< different bytes that the threads asked for
  int lines;         ///< different aligned pieces of 128 bytes that hold them
  int sectors;       ///< different aligned pieces of 32 bytes that hold them
};

constexpr int kOffsetRows = 33;  ///< s = 0, 1, ..., 32
constexpr int kStrideRows = 32;  ///< s = 1, 2, ..., 32

/// One launch: adds 1 to the element of each thread i < n, in blocks of 256 threads. `a` is device
/// memory of the type that just holds the last of them. n >= 1; s >= 0, from 1 up for strides.
void touch(Access access, Type type, void* a, int n, int s);

/// What a pass over n elements moved, each read once and written once, in GB/s (1 GB = 10^9 bytes).
double gb_per_s(int n, int element_bytes, float ms);

/// Allocates and clears an array, launches once to warm up, then times one launch by events for each
/// s and fills the rows, kOffsetRows or kStrideRows of them. Frees all that it made.
void sweep(Access access, Type type, int n, Measurement* rows);

/// One launch: to[i] = the word of `from` that thread i reads, for i < n. Both are device memory, and
/// `from` holds every word that one of these threads reads.
void gather(Pattern pattern, int* to, const int* from, int n);

/// On the host: what a warp moves whose 32 threads load element_bytes bytes (4 or 8) at these
/// addresses, multiples of element_bytes.
Traffic traffic_of(const uint64_t* addresses, int element_bytes);
