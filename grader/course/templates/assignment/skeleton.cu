// SPDX-License-Identifier: MIT
// @title@. The statement is in assignments/@slug@/handout.md, the contract in @slug@.h.
// Test with: meson test -C build --suite @slug@
#include "@slug@.h"

// TODO 1: Let each thread find its element i, stay idle behind the last one, and otherwise compute it.
__global__ void saxpy_kernel(float* y, float a, const float* x, int n) {
  (void)y, (void)a, (void)x, (void)n;
}

// TODO 2: Allocate, copy x and y to the device, launch enough blocks, copy y back, free.
void saxpy(float* y, float a, const float* x, int n) {
  (void)y, (void)a, (void)x, (void)n;
  (void)saxpy_kernel;  // goes when you launch it
}
