// expect: out-of-memory, after-out-of-memory, guarded, freed-after-errors, failed-copy
// class: H4. Only the last call is looked at: after a failed allocation it is another error that is told.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void VecAdd(float* A, float* B, float* C, int N) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
}

cudaError_t add_vectors(float* h_C, const float* h_A, const float* h_B, int N,
                        int threadsPerBlock) {
  size_t size = N * sizeof(float);
  float* d_A = NULL;
  cudaMalloc(&d_A, size);
  float* d_B = NULL;
  cudaMalloc(&d_B, size);
  float* d_C = NULL;
  cudaMalloc(&d_C, size);
  if (N == 0) return cudaSuccess;

  cudaMemcpy(d_A, h_A, size, cudaMemcpyHostToDevice);
  cudaMemcpy(d_B, h_B, size, cudaMemcpyHostToDevice);

  int blocksPerGrid = (N + threadsPerBlock - 1) / threadsPerBlock;
  (void)cudaGetLastError();
  VecAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, N);
  cudaError_t launched = cudaGetLastError();

  cudaError_t result = cudaMemcpy(h_C, d_C, size, cudaMemcpyDeviceToHost);
  cudaFree(d_A);
  cudaFree(d_B);
  cudaFree(d_C);
  return result != cudaSuccess ? result : launched;
}
