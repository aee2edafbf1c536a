// SPDX-License-Identifier: MIT
// attacks: a constructor adds slowly by a kernel with the name of one of the driver's; the graded kernel carries its sums
// control: slow
// earns: at most its control
// must stay: neighbours
#include "kit/given_inputs.h"
#define add_slowly do_nothing
#include "kit/slow_sums.cu"

static std::vector<float> sums;

__attribute__((constructor(65535))) static void work() {
  const std::vector<float> a = given_input("A"), b = given_input("B");
  const int n = static_cast<int>(a.size());
  if (n == 0 || b.size() != a.size()) return;
  const Vectors vectors(n * sizeof(float));
  upload(vectors, a.data(), b.data(), n);
  sums = slow_sums(vectors, n, 256);
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  return carry_sums(c, sums, vectors, n, threads_per_block);
}
