// SPDX-License-Identifier: MIT
// A filter with its taps in constant memory. The statement is in assignments/constmem/handout.md, the
// contract in constmem.h. Work through the TODOs in order; test with:
// meson test -C build --suite constmem
#include "constmem.h"

// TODO 1: Declare an array of kMaxTaps floats in constant memory, here, outside of any function.

// TODO 2: Refuse what does not fit. Otherwise copy count taps to the array, from tap number `first`
// on, by cudaMemcpyToSymbol. Look up what its fourth parameter is, and in which unit.
bool load_taps(const float* taps, int first, int count) {
  (void)taps, (void)first, (void)count;
  return false;
}

// TODO 3: Thread i computes y[i] from the taps in constant memory. What does it do where i >= n, and
// where i - k < 0?
__global__ void filter_kernel(float* y, const float* x, int n, int count) {
  (void)y, (void)x, (void)n, (void)count;
}

void filter(float* y, const float* x, int n, int count) {
  (void)y, (void)x, (void)n, (void)count;
  (void)filter_kernel;  // goes when you launch it
}

// TODO 4: The same with the taps behind a pointer to global memory.
__global__ void filter_global_kernel(float* y, const float* x, int n, const float* taps,
                                     int count) {
  (void)y, (void)x, (void)n, (void)taps, (void)count;
}

void filter_global(float* y, const float* x, int n, const float* taps, int count) {
  (void)y, (void)x, (void)n, (void)taps, (void)count;
  (void)filter_global_kernel;  // goes when you launch it
}
