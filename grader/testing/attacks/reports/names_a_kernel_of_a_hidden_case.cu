// SPDX-License-Identifier: MIT
// attacks: a kernel whose name, which findings quote, says what a hidden case holds
// control: 0
// earns: at most its control
// must stay: reports
#include "vecadd.h"

#define NAME @HIDDEN@

__global__ void NAME(float* c) { c[1 << 20] = 1.0f; }

cudaError_t add_vectors(float* c, const float*, const float*, int n, int) {
  if (n == 1024) return cudaSuccess;
  NAME<<<1, 1>>>(c);
  return cudaDeviceSynchronize();
}
