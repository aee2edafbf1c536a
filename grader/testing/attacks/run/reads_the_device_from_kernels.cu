// SPDX-License-Identifier: MIT
// attacks: kernels that read and write addresses of the host, of the device's own process and far beyond
// control: reads_uninitialised
// earns: at most its control
// must stay: neighbours, processes

#define add_vectors honest_add_vectors
#include "controls/honest.cu"
#undef add_vectors

__global__ void look_around(unsigned long long start, unsigned long long step, float* found) {
  const unsigned long long at = start + step * (blockIdx.x * blockDim.x + threadIdx.x);
  found[0] = *reinterpret_cast<volatile float*>(at);
  *reinterpret_cast<volatile float*>(at) = 0.0f;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  float* found = nullptr;
  cudaMalloc(&found, sizeof(float));
  look_around<<<1, 1>>>(reinterpret_cast<unsigned long long>(a), 0, found);
  look_around<<<4, 64>>>(0x400000, 0x1000, found);
  look_around<<<4, 64>>>(0x7f0000000000, 0x100000000, found);
  cudaDeviceSynchronize();
  cudaFree(found);
  while (cudaGetLastError() != cudaSuccess) {
  }
  return honest_add_vectors(c, a, b, n, threads_per_block);
}
