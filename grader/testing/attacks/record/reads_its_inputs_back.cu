// SPDX-License-Identifier: MIT
// attacks: uploads both vectors, adds on the host what it reads back from the device, so that other inputs there
// make no difference, and lets the kernel add zeros
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/sums_of_the_host.h"

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  const Vectors vectors(bytes);
  std::vector<float> seen_a(n), seen_b(n), zeros(n);
  cudaMemcpy(vectors.a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(vectors.b, b, bytes, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(seen_a.data(), vectors.a, bytes, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(seen_b.data(), vectors.b, bytes, cudaMemcpyDeviceToHost);
  const std::vector<float> sums = sums_of_the_host(seen_a.data(), seen_b.data(), n);
  cudaMemcpyAsync(vectors.a, sums.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(vectors.b, zeros.data(), bytes, cudaMemcpyHostToDevice);
  add<<<blocks_for(n, threads_per_block), threads_per_block>>>(vectors.c, vectors.a, vectors.b, n);
  return cudaMemcpy(c, vectors.c, bytes, cudaMemcpyDeviceToHost);
}
