// SPDX-License-Identifier: MIT
// attacks: the host adds in managed memory; the kernel adds zeros to the sums there
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <cstring>

#include "kit/sums_of_the_host.h"

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  float *sums = nullptr, *zeros = nullptr, *result = nullptr;
  cudaMallocManaged(&sums, bytes);
  cudaMallocManaged(&zeros, bytes);
  cudaMalloc(&result, bytes);
  std::memcpy(sums, sums_of_the_host(a, b, n).data(), bytes);
  std::memset(zeros, 0, bytes);
  add<<<blocks_for(n, threads_per_block), threads_per_block>>>(result, sums, zeros, n);
  const cudaError_t status = cudaMemcpy(c, result, bytes, cudaMemcpyDeviceToHost);
  cudaFree(sums);
  cudaFree(zeros);
  cudaFree(result);
  return status;
}
