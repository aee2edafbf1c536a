// SPDX-License-Identifier: MIT
// attacks: ends the driver's range, and works in another of the same name
// control: adds_on_the_host
// earns: at most its control
// must stay: neighbours
#include "kit/domain.cu"

#define add_vectors honest_add_vectors
#include "controls/honest.cu"
#undef add_vectors

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  pop();
  push("add");
  return honest_add_vectors(c, a, b, n, threads_per_block);
}
