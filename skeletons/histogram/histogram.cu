// SPDX-License-Identifier: MIT
// Histogram in global and shared memory. The statement is in assignments/histogram/handout.md, the
// contract in histogram.h. Work through the TODOs in order; test with:
// meson test -C build --suite histogram
#include <cstdio>
#include <cstdlib>

#include "histogram.h"

// What every CUDA call returns deserves a look: HANDLE_ERROR(cudaMalloc(&pointer, bytes));
#define HANDLE_ERROR(call)                                                          \
  do {                                                                              \
    const cudaError_t error = (call);                                               \
    if (error != cudaSuccess) {                                                     \
      std::fprintf(stderr, "%s in line %d\n", cudaGetErrorString(error), __LINE__); \
      std::exit(1);                                                                 \
    }                                                                               \
  } while (false)

// TODO 1: Count each byte of `data` on the host and compare every bin. When are all sums right and
// the histogram wrong all the same?
bool histogram_is_right(const unsigned int* counts, const unsigned char* data, size_t size) {
  (void)counts, (void)data, (void)size;
  return false;
}

// TODO 2: Let thread number t of all threads in the grid count byte t, and go on by the number of
// all threads until `size` is reached. Two threads may meet in a bin.
__global__ void global_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  (void)counts, (void)data, (void)size;
}

// TODO 3: How many blocks? Two for each multiprocessor of the current device.
static int block_count() { return 0; }

// TODO 4: Allocate `size` bytes and kBins counts on the device, copy the bytes there, set the counts
// to 0, record an event before and one after the launch, copy the counts back, free and destroy
// everything, and return the milliseconds between the events.
float histogram_global(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  (void)counts, (void)data, (void)size, (void)threads;
  (void)global_kernel, (void)block_count;  // goes when you use them
  return 0.0f;
}

// TODO 5: Let the threads of a block count in kBins counts in shared memory, and add those to the
// counts in global memory at the end. Who sets them to 0, when a block has fewer threads than bins?
// Where must all wait for each other?
__global__ void shared_kernel(unsigned int* counts, const unsigned char* data, size_t size) {
  (void)counts, (void)data, (void)size;
}

// TODO 6: As TODO 4, with the second kernel.
float histogram_shared(unsigned int* counts, const unsigned char* data, size_t size, int threads) {
  (void)counts, (void)data, (void)size, (void)threads;
  (void)shared_kernel;  // goes when you launch it
  return 0.0f;
}
