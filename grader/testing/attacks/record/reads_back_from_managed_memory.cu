// SPDX-License-Identifier: MIT
// attacks: the inputs lie in managed memory while a kernel runs, and then hold what the device has; the host adds that
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <cstring>

#include "kit/carry_sums.h"

__global__ void nothing() {}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  float *seen_a = nullptr, *seen_b = nullptr;
  cudaMallocManaged(&seen_a, n * sizeof(float));
  cudaMallocManaged(&seen_b, n * sizeof(float));
  std::memcpy(seen_a, a, n * sizeof(float));
  std::memcpy(seen_b, b, n * sizeof(float));
  nothing<<<1, threads_per_block>>>();
  cudaDeviceSynchronize();
  const cudaError_t status =
      carry_sums(c, sums_of_the_host(seen_a, seen_b, n), vectors, n, threads_per_block);
  cudaFree(seen_a);
  cudaFree(seen_b);
  return status;
}
