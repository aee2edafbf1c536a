// SPDX-License-Identifier: MIT
// Right, but writes over the host memory behind the result.
#define add_vectors honest_add_vectors
#include "controls/honest.cu"
#undef add_vectors

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const cudaError_t status = honest_add_vectors(c, a, b, n, threads_per_block);
  c[n] = 0.0f;
  return status;
}
