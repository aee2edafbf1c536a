// expect: speed
// class: G5. One block walks the whole vector, so that one multiprocessor of many works.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void addAll(const float* x, const float* y, float* z, int len) {
  for (int k = threadIdx.x; k < len; k += blockDim.x) {
    z[k] = x[k] + y[k];
  }
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaGetLastError();  // what an earlier call left is none of this one's
  float *x = NULL, *y = NULL, *z = NULL;
  cudaError_t result = cudaSuccess;
  do {
    if (n == 0) break;
    if ((result = cudaMalloc(&x, 4 * (size_t)n))) break;
    if ((result = cudaMalloc(&y, 4 * (size_t)n))) break;
    if ((result = cudaMalloc(&z, 4 * (size_t)n))) break;
    if ((result = cudaMemcpy(x, a, 4 * (size_t)n, cudaMemcpyHostToDevice))) break;
    if ((result = cudaMemcpy(y, b, 4 * (size_t)n, cudaMemcpyHostToDevice))) break;
    addAll<<<1, threads_per_block>>>(x, y, z, n);
    if ((result = cudaGetLastError())) break;
    if ((result = cudaMemcpy(c, z, 4 * (size_t)n, cudaMemcpyDeviceToHost))) break;
  } while (0);
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  return result;
}
