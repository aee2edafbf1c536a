// SPDX-License-Identifier: MIT
// The sum of two vectors. The statement is in assignments/vecadd/handout.md, the contract in
// vecadd.h. Work through the TODOs in order; test with: meson test -C build --suite vecadd
#include "vecadd.h"

// TODO 1: Find the number i of this thread in the whole grid, from blockIdx, blockDim and
// threadIdx. The grid may have more threads than there are elements: those stay idle. The others
// add one element each.
__global__ void add_elements(float* c, const float* a, const float* b, int n) {
  (void)c, (void)a, (void)b, (void)n;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  // TODO 2: Allocate n floats three times on the device. cudaMalloc counts bytes.

  // TODO 3: Copy a and b to the device.

  // TODO 4: Launch the kernel in blocks of threads_per_block threads, and in as many blocks as n
  // elements take, the last one perhaps partly idle. A launch returns nothing: ask cudaGetLastError
  // whether it was accepted. And what if n is 0?

  // TODO 5: Copy the sum back to c.

  // TODO 6: Free the three blocks, whatever happened before, and return the first error.
  (void)c, (void)a, (void)b, (void)n, (void)threads_per_block;
  (void)add_elements;  // goes when you launch it
  return cudaErrorNotYetImplemented;
}
