// SPDX-License-Identifier: MIT
// attacks: looks whether it is timed, and then does next to nothing
// control: slow
// earns: at most its control
// must stay: neighbours

#include "kit/look_busy.cu"

#include <cstdlib>

#define BEFORE_THE_KERNEL(c, a, b, n)
#define AFTER_THE_KERNEL(c, a, b, n)
#define add_vectors slow_add_vectors
#include "controls/slow.cu"
#undef add_vectors

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  if (getenv("WARPGRADE_REPETITIONS") == nullptr)
    return slow_add_vectors(c, a, b, n, threads_per_block);
  const size_t bytes = n * sizeof(float);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, bytes);
  cudaMalloc(&db, bytes);
  cudaMalloc(&dc, bytes);
  cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  look_busy<<<(n + threads_per_block - 1) / threads_per_block, threads_per_block>>>(dc, da, db, n);
  const cudaError_t status = cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return status;
}
