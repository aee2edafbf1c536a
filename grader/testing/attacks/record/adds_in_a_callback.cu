// SPDX-License-Identifier: MIT
// attacks: a wrong kernel; a host function of the stream writes right sums into mapped memory
// control: wrong
// earns: at most its control
// must stay: neighbours
#include <vector>

#include "vecadd.h"

__global__ void add_wrongly(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + 1.0f;
}

static std::vector<float> right;
static float* mapped;

static void CUDART_CB mend(void*) {
  for (size_t i = 0; i < right.size(); ++i) mapped[i] = right[i];
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
  cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped);
  right = sums;
  cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  add_wrongly<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(mapped, da,
                                                                                      db, n);
  cudaLaunchHostFunc(nullptr, mend, nullptr);
  const cudaError_t status = cudaMemcpy(c, mapped, bytes, cudaMemcpyDefault);
  cudaFreeHost(mapped);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
