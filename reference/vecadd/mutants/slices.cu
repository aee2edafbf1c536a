// expect: speed
// class: G5. Each thread adds a slice of neighbouring elements, so that a warp's are far apart.
// SPDX-License-Identifier: MIT
#include "vecadd.h"

static const int kSlice = 32;

__global__ void add_slice(float* c, const float* a, const float* b, int n) {
  const int start = (blockIdx.x * blockDim.x + threadIdx.x) * kSlice;
  const int end = min(start + kSlice, n);
  for (int i = start; i < end; ++i) c[i] = a[i] + b[i];
}

static cudaError_t add_on_device(float* dc, float* da, float* db, float* c, const float* a,
                                 const float* b, int n, int block) {
  const size_t bytes = n * sizeof(float);
  cudaError_t status = cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  if (status != cudaSuccess) return status;
  status = cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  if (status != cudaSuccess) return status;
  const int slices = (n + kSlice - 1) / kSlice;
  add_slice<<<(slices + block - 1) / block, block>>>(dc, da, db, n);
  status = cudaGetLastError();
  if (status != cudaSuccess) return status;
  return cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  cudaGetLastError();  // what an earlier call left is none of this one's
  if (n == 0) return cudaSuccess;
  const size_t bytes = n * sizeof(float);
  void *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaError_t status = cudaMalloc(&da, bytes);
  if (status == cudaSuccess) status = cudaMalloc(&db, bytes);
  if (status == cudaSuccess) status = cudaMalloc(&dc, bytes);
  if (status == cudaSuccess) {
    status = add_on_device(static_cast<float*>(dc), static_cast<float*>(da),
                           static_cast<float*>(db), c, a, b, n, threads_per_block);
  }
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
