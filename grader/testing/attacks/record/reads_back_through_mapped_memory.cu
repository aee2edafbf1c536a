// SPDX-License-Identifier: MIT
// attacks: a kernel copies the device's inputs to mapped memory, and the host adds them up
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/carry_sums.h"

__global__ void show(float* seen, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) seen[i] = a[i];
  if (i < n) seen[n + i] = b[i];
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  float* seen = nullptr;
  cudaHostAlloc(&seen, 2 * n * sizeof(float), cudaHostAllocMapped);
  show<<<blocks_for(n, threads_per_block), threads_per_block>>>(seen, vectors.a, vectors.b, n);
  cudaDeviceSynchronize();
  const cudaError_t status =
      carry_sums(c, sums_of_the_host(seen, seen + n, n), vectors, n, threads_per_block);
  cudaFreeHost(seen);
  return status;
}
