// expect: guarded, edges-added, edges, any-block, edges-alike, current-device
// class: G1. The guard is <= and lets one thread write behind the vector.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

#define GUARD(x)                               \
  do {                                         \
    if (!failed && (failed = (x))) goto clean; \
  } while (0)

__global__ void VecAdd(float* A, float* B, float* C, int N) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i <= N) C[i] = A[i] + B[i];
}

cudaError_t add_vectors(float* h_C, const float* h_A, const float* h_B, int N,
                        int threadsPerBlock) {
  cudaGetLastError();  // what an earlier call left is none of this one's
  size_t size = N * sizeof(float);
  float *d_A = 0, *d_B = 0, *d_C = 0;
  cudaError_t failed = cudaSuccess;
  int blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;
  if (N == 0) return failed;

  GUARD(cudaMalloc(&d_A, size));
  GUARD(cudaMalloc(&d_B, size));
  GUARD(cudaMalloc(&d_C, size));
  GUARD(cudaMemcpy(d_A, h_A, size, cudaMemcpyHostToDevice));
  GUARD(cudaMemcpy(d_B, h_B, size, cudaMemcpyHostToDevice));
  VecAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, N);
  GUARD(cudaGetLastError());
  GUARD(cudaMemcpy(h_C, d_C, size, cudaMemcpyDeviceToHost));

clean:
  cudaFree(d_A);
  cudaFree(d_B);
  cudaFree(d_C);
  return failed;
}
