// SPDX-License-Identifier: MIT
// attacks: the kernel reads the host's sums and its zeros where they lie, in registered memory of the host
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/sums_of_the_host.h"

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  std::vector<float> sums = sums_of_the_host(a, b, n), zeros(n);
  float *seen_sums = nullptr, *seen_zeros = nullptr, *result = nullptr;
  cudaHostRegister(sums.data(), bytes, cudaHostRegisterMapped);
  cudaHostRegister(zeros.data(), bytes, cudaHostRegisterMapped);
  cudaHostGetDevicePointer(&seen_sums, sums.data(), 0);
  cudaHostGetDevicePointer(&seen_zeros, zeros.data(), 0);
  cudaMalloc(&result, bytes);
  add<<<blocks_for(n, threads_per_block), threads_per_block>>>(result, seen_sums, seen_zeros, n);
  const cudaError_t status = cudaMemcpy(c, result, bytes, cudaMemcpyDeviceToHost);
  cudaFree(result);
  cudaHostUnregister(sums.data());
  cudaHostUnregister(zeros.data());
  return status;
}
