// SPDX-License-Identifier: MIT
// attacks: a wrong kernel in managed memory, whose result the host corrects in place
// control: wrong
// earns: at most its control
// must stay: neighbours
#include <vector>

#include "vecadd.h"

__global__ void add_wrongly(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + 1.0f;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (n == 0) return cudaSuccess;
  const size_t bytes = n * sizeof(float);
  std::vector<float> sums(a, a + n);
  for (int i = 0; i < n; ++i) sums[i] += b[i];
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  float* managed = nullptr;
  cudaMallocManaged(&managed, bytes);
  cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  add_wrongly<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(managed, da,
                                                                                      db, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) managed[i] = sums[i];
  const cudaError_t status = cudaMemcpy(c, managed, bytes, cudaMemcpyDeviceToHost);
  cudaFree(managed);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
