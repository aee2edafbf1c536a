// SPDX-License-Identifier: MIT
// attacks: a constructor uploads the inputs and reads them back, outside of each graded call; the host adds those
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include "kit/carry_sums.h"
#include "kit/given_inputs.h"

static std::vector<float> held(const char* name) {
  std::vector<float> values = given_input(name);
  if (values.empty()) return values;
  const size_t bytes = values.size() * sizeof(float);
  void* there = nullptr;
  cudaMalloc(&there, bytes);
  cudaMemcpy(there, values.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(values.data(), there, bytes, cudaMemcpyDeviceToHost);
  cudaFree(there);
  return values;
}

static std::vector<float> sums;

__attribute__((constructor(65535))) static void look() {
  const std::vector<float> a = held("A"), b = held("B");
  if (a.size() == b.size()) sums = sums_of_the_host(a.data(), b.data(), static_cast<int>(a.size()));
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  return carry_sums(c, sums, vectors, n, threads_per_block);
}
