// SPDX-License-Identifier: MIT
// attacks: a few bytes of source whose device code unpacks to a gigabyte in whatever reads it
// control: honest
// earns: at most its control
// must stay: neighbours, memory
#define add_vectors honest_add_vectors
#include "controls/honest.cu"
#undef add_vectors

__device__ int padding[1 << 27] = {1};

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  return honest_add_vectors(c, a, b, n, threads_per_block);
}
