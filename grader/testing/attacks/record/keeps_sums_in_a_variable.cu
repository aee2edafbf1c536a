// SPDX-License-Identifier: MIT
// attacks: the host adds, and puts its sums into a variable of the device, beside vectors that are uploaded as they
// should be; the kernel looks at all three
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/sums_of_the_host.h"

__device__ float kept[1 << 18];

__global__ void add_nothing(float* c, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = kept[i] + (a[i] == b[i] ? 0.0f : -0.0f);
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  const Vectors vectors(bytes);
  cudaMemcpy(vectors.a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(vectors.b, b, bytes, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(kept, sums_of_the_host(a, b, n).data(), bytes);
  add_nothing<<<blocks_for(n, threads_per_block), threads_per_block>>>(vectors.c, vectors.a,
                                                                       vectors.b, n);
  return cudaMemcpy(c, vectors.c, bytes, cudaMemcpyDeviceToHost);
}
