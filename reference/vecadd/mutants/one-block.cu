// expect: sum, on-device, added-on-device, large-added, edges-added, edges, any-block, no-elements, nothing-launched, refused-launch, out-of-memory, after-out-of-memory, guarded, memory, copies, block, freed, edges-alike, freed-after-errors, speed,
// late-failure, next-results, failed-copy, current-device, shared-out
// class: B2. The lecture's first launch, one block of n threads: more than 1024 are refused.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void VecAdd(float* A, float* B, float* C) {
  int i = threadIdx.x;
  C[i] = A[i] + B[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  const size_t size = sizeof(float) * n;
  float* device[3] = {};  // a, b, c
  cudaError_t e = cudaSuccess;
  for (float*& memory : device) {
    if (e == cudaSuccess) e = cudaMalloc(&memory, size);
  }
  if (e == cudaSuccess) e = cudaMemcpy(device[0], a, size, cudaMemcpyHostToDevice);
  if (e == cudaSuccess) e = cudaMemcpy(device[1], b, size, cudaMemcpyHostToDevice);
  if (e == cudaSuccess) {
    const int blocks = 1;
    (void)threads_per_block;
    VecAdd<<<blocks, n>>>(device[0], device[1], device[2]);
    e = cudaGetLastError();
  }
  if (e == cudaSuccess) e = cudaMemcpy(c, device[2], size, cudaMemcpyDeviceToHost);
  for (float* memory : device) cudaFree(memory);
  return e;
}
