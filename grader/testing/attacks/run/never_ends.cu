// SPDX-License-Identifier: MIT
// attacks: a kernel that never ends
// control: 0
// earns: at most its control
// must stay: neighbours, processes
#include "vecadd.h"

__global__ void wait_forever(const volatile float* a) {
  while (a[0] != 1e30f) {
  }
}

cudaError_t add_vectors(float*, const float*, const float*, int, int) {
  float* da = nullptr;
  cudaMalloc(&da, sizeof(float));
  cudaMemset(da, 0, sizeof(float));
  wait_forever<<<64, 64>>>(da);
  return cudaDeviceSynchronize();
}
