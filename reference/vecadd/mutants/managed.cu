// expect: memory, on-device, added-on-device, large-added, sum, edges-added, edges, any-block, no-elements, nothing-launched, refused-launch, out-of-memory, after-out-of-memory, guarded, copies, block, freed, edges-alike, freed-after-errors, speed,
// late-failure, next-results, failed-copy, current-device, shared-out
// class: H4. Managed memory, which the task does not ask for: no copy is seen, the pages move by themselves.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

#include <cstring>

__global__ void vecAdd(const float* A, const float* B, float* C, int N) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  const size_t size = sizeof(float) * n;
  float *A = nullptr, *B = nullptr, *C = nullptr;
  cudaError_t e = cudaMallocManaged(&A, size);
  if (e == cudaSuccess) e = cudaMallocManaged(&B, size);
  if (e == cudaSuccess) e = cudaMallocManaged(&C, size);
  if (e == cudaSuccess) {
    std::memcpy(A, a, size);
    std::memcpy(B, b, size);
    vecAdd<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(A, B, C, n);
    e = cudaGetLastError();
  }
  if (e == cudaSuccess) e = cudaDeviceSynchronize();
  if (e == cudaSuccess) std::memcpy(c, C, size);
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
  return e;
}
