// expect: guarded
// class: S2. Copies the sum back in a stream that does not wait for the kernel.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

__global__ void add_elements(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaGetLastError();  // what an earlier call left is none of this one's
  if (n == 0) return cudaSuccess;
  const size_t bytes = n * sizeof(float);
  float *x = nullptr, *y = nullptr, *z = nullptr;
  cudaError_t status = cudaMalloc(&x, bytes);
  if (!status) status = cudaMalloc(&y, bytes);
  if (!status) status = cudaMalloc(&z, bytes);
  if (!status) status = cudaMemcpy(x, a, bytes, cudaMemcpyHostToDevice);
  if (!status) status = cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice);
  if (!status) {
    add_elements<<<(n - 1) / threads_per_block + 1, threads_per_block>>>(z, x, y, n);
    status = cudaGetLastError();
  }
  cudaStream_t stream = nullptr;
  if (!status) status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (!status) status = cudaMemcpyAsync(c, z, bytes, cudaMemcpyDeviceToHost, stream);
  if (stream != nullptr) {
    const cudaError_t ended = cudaStreamSynchronize(stream);
    if (!status) status = ended;
    cudaStreamDestroy(stream);
  }
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  return status;
}
