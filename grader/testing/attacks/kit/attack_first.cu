// SPDX-License-Identifier: MIT
// Calls attack(), then adds honestly. UNDEFENDED, attack() is all of a program that runs outside of the sandbox.
#ifdef UNDEFENDED
int main() { attack(); }
#else
#define add_vectors honest_add_vectors
#include "controls/honest.cu"
#undef add_vectors

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  attack();
  const cudaError_t status = honest_add_vectors(c, a, b, n, threads_per_block);
  if (first_reached != 0 && n > 0) c[0] = -static_cast<float>(first_reached);
  return status;
}
#endif
