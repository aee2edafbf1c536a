// SPDX-License-Identifier: MIT
// attacks: a slow kernel in a range named "warpgrade.case:7", whose sums the kernel in the graded range carries
// control: slow
// earns: at most its control
// must stay: neighbours
#include "kit/domain.cu"
#include "kit/slow_sums.cu"

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  pop();
  push("warpgrade.case:7");
  const std::vector<float> sums = slow_sums(vectors, n, threads_per_block);
  pop();
  push("add");
  return carry_sums(c, sums, vectors, n, threads_per_block);
}
