// SPDX-License-Identifier: MIT
// attacks: output of kernels without an end
// control: 0
// earns: at most its control
// must stay: neighbours, memory, reports
#include <cstdio>

#include "vecadd.h"

__global__ void print() {
  for (;;)
    printf("%s %d\n", "a line of a kernel that is as long as the line of a kernel can be",
           threadIdx.x);
}

cudaError_t add_vectors(float*, const float*, const float*, int, int) {
  print<<<1000, 1000>>>();
  return cudaDeviceSynchronize();
}
