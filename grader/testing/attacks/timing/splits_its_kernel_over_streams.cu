// SPDX-License-Identifier: MIT
// attacks: a slow kernel in sixteen parts, each in a stream of its own, so that a model may take them to run at once
// control: slow
// earns: at most its control
// must stay: neighbours
#include "vecadd.h"

__global__ void add_slowly(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 40; ++k)
    if (i < n) reinterpret_cast<volatile float*>(c)[i] = a[i] + b[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  constexpr int kParts = 16;
  cudaStream_t streams[kParts];
  const int part = (n / kParts / threads_per_block + 1) * threads_per_block;
  for (int k = 0; k < kParts; ++k) {
    cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking);
    const int first = k * part, count = n - first < part ? n - first : part;
    if (count > 0)
      add_slowly<<<(count + threads_per_block - 1) / threads_per_block, threads_per_block, 0, streams[k]>>>(
          dc + first, da + first, db + first, count);
  }
  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  const cudaError_t status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
