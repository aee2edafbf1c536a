// SPDX-License-Identifier: MIT
// attacks: closes every descriptor before a slow kernel and computes on the host where the device does not answer
// control: wrong
// earns: at most its control
// must stay: neighbours, processes

#define add_vectors wrong_add_vectors
#include "controls/wrong.cu"
#undef add_vectors
#include <unistd.h>

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  wrong_add_vectors(c, a, b, n, threads_per_block);
  for (int file = 3; file < 256; ++file) close(file);
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
  return cudaSuccess;
}
