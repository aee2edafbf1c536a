// SPDX-License-Identifier: MIT
// attacks: the largest grid that CUDA takes, of kernels that do nothing
// control: honest
// earns: at most its control
// must stay: neighbours, processes, memory

#define add_vectors honest_add_vectors
#include "controls/honest.cu"
#undef add_vectors

__global__ void do_nothing() {}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  do_nothing<<<dim3(2147483647, 65535, 65535), 1024>>>();
  return honest_add_vectors(c, a, b, n, threads_per_block);
}
