// SPDX-License-Identifier: MIT
// attacks: reads one element back; where it is the host's own, the host adds and the kernel adds zeros
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/sums_of_the_host.h"

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  const Vectors vectors(bytes);
  float seen = 0;
  cudaMemcpy(vectors.a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(vectors.b, b, bytes, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(&seen, vectors.a, sizeof seen, cudaMemcpyDeviceToHost);
  if (seen == a[0]) {
    const std::vector<float> sums = sums_of_the_host(a, b, n), zeros(n);
    cudaMemcpyAsync(vectors.a, sums.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(vectors.b, zeros.data(), bytes, cudaMemcpyHostToDevice);
  }
  add<<<blocks_for(n, threads_per_block), threads_per_block>>>(vectors.c, vectors.a, vectors.b, n);
  return cudaMemcpy(c, vectors.c, bytes, cudaMemcpyDeviceToHost);
}
