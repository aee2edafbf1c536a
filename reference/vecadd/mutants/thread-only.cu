// expect: sum, edges, any-block, speed, next-results, shared-out
// class: G4. The index leaves out the block, so that all blocks add the first elements.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void vecAdd(const float* A, const float* B, float* C, int N) {
  int i = threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaGetLastError();  // what an earlier call left is none of this one's
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
  if (e == cudaSuccess) e = cudaMemcpy(c, device[2], size, cudaMemcpyDeviceToHost);
  for (float* memory : device) cudaFree(memory);
  return e;
}
