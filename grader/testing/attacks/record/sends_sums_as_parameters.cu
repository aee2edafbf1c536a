// SPDX-License-Identifier: MIT
// attacks: the host adds; its sums reach the kernels as parameters, a thousand with each launch, beside vectors
// that are uploaded as they should be
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <algorithm>

#include "kit/sums_of_the_host.h"

constexpr int kSums = 1000;
struct Sums {
  float values[kSums];
};

__global__ void add_zeros(float* c, Sums sums, float zero, int first, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSums && first + i < n) c[first + i] = sums.values[i] + zero;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  const Vectors vectors(bytes);
  cudaMemcpy(vectors.a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(vectors.b, b, bytes, cudaMemcpyHostToDevice);
  const std::vector<float> sums = sums_of_the_host(a, b, n);
  // More launches would make the time large that is compared with a copy's.
  const bool is_small = n <= 2 * kSums;
  if (!is_small)
    add<<<blocks_for(n, threads_per_block), threads_per_block>>>(vectors.c, vectors.a, vectors.b,
                                                                 n);
  for (int first = 0; is_small && first < n; first += kSums) {
    Sums part{};
    std::copy_n(&sums[first], std::min(kSums, n - first), part.values);
    add_zeros<<<blocks_for(kSums, threads_per_block), threads_per_block>>>(vectors.c, part, 0,
                                                                           first, n);
  }
  return cudaMemcpy(c, vectors.c, bytes, cudaMemcpyDeviceToHost);
}
