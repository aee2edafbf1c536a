// expect: freed-after-errors
// class: H3. Every error returns at once and leaves behind what was allocated before.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

#define CHECK(call)                         \
  do {                                      \
    const cudaError_t error = (call);       \
    if (error != cudaSuccess) return error; \
  } while (false)

template <typename T>
__global__ void add_kernel(T* out, const T* x, const T* y, size_t count) {
  const size_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) out[index] = x[index] + y[index];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaGetLastError();  // what an earlier call left is none of this one's
  if (n == 0) return cudaSuccess;
  const size_t count = n, bytes = count * sizeof(float);
  float *x, *y, *out;
  CHECK(cudaMalloc(&x, bytes));
  CHECK(cudaMalloc(&y, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMemcpy(x, a, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice));
  add_kernel<float>
      <<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(out, x, y, count);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c, out, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  CHECK(cudaFree(out));
  return cudaSuccess;
}
