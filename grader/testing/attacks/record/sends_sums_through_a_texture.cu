// SPDX-License-Identifier: MIT
// attacks: the host adds; its sums reach the kernel as a texture, beside vectors that are uploaded as they should be
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/sums_of_the_host.h"

__global__ void add_nothing(float* c, const float* a, const float* b, cudaTextureObject_t sums,
                            int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = tex1Dfetch<float>(sums, i) + (a[i] == b[i] ? 0.0f : -0.0f);
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const size_t bytes = n * sizeof(float);
  const Vectors vectors(bytes), more(bytes);
  cudaMemcpy(vectors.a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(vectors.b, b, bytes, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(more.a, sums_of_the_host(a, b, n).data(), bytes, cudaMemcpyHostToDevice);
  cudaResourceDesc from{};
  from.resType = cudaResourceTypeLinear;
  from.res.linear.devPtr = more.a;
  from.res.linear.desc = cudaCreateChannelDesc<float>();
  from.res.linear.sizeInBytes = bytes;
  cudaTextureDesc how{};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &from, &how, nullptr);
  add_nothing<<<blocks_for(n, threads_per_block), threads_per_block>>>(vectors.c, vectors.a,
                                                                       vectors.b, texture, n);
  const cudaError_t status = cudaMemcpy(c, vectors.c, bytes, cudaMemcpyDeviceToHost);
  cudaDestroyTextureObject(texture);
  return status;
}
