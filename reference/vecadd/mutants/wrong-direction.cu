// expect: on-device, added-on-device, large-added, sum, edges-added, edges, any-block, no-elements, nothing-launched, refused-launch, out-of-memory, after-out-of-memory, guarded, memory, copies, block, freed, edges-alike, freed-after-errors, speed,
// late-failure, next-results, failed-copy, current-device, shared-out
// class: H4. The result is copied with the direction of the inputs, and the error that this gives ends the work.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void vecAdd(const float* A, const float* B, float* C, int N) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
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
    const int blocks = (n + threads_per_block - 1) / threads_per_block;
    vecAdd<<<blocks, threads_per_block>>>(device[0], device[1], device[2], n);
    e = cudaGetLastError();
  }
  if (e == cudaSuccess) e = cudaMemcpy(c, device[2], size, cudaMemcpyHostToDevice);
  for (float* memory : device) cudaFree(memory);
  return e;
}
