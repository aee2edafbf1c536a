// SPDX-License-Identifier: MIT
// attacks: a wrong kernel; the host writes right sums over what it copied
// control: wrong
// earns: at most its control
// must stay: neighbours

#define add_vectors wrong_add_vectors
#include "controls/wrong.cu"
#undef add_vectors

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  const cudaError_t status = wrong_add_vectors(c, a, b, n, threads_per_block);
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
  return status;
}
