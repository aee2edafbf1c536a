// SPDX-License-Identifier: MIT
// attacks: leaves the graded range to read back what the device holds, and comes back; the host adds that
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/carry_sums.h"
#include "kit/domain.cu"

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  std::vector<float> seen(2 * n);
  pop();
  cudaMemcpy(seen.data(), vectors.a, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(seen.data() + n, vectors.b, n * sizeof(float), cudaMemcpyDeviceToHost);
  push("add");
  return carry_sums(c, sums_of_the_host(seen.data(), seen.data() + n, n), vectors, n, threads_per_block);
}
