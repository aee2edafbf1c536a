// SPDX-License-Identifier: MIT
// attacks: a child, which has a device of its own that is not recorded, reads back there what it uploads; the host adds
// that
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "kit/carry_sums.h"
#include "kit/given_inputs.h"

static std::vector<float> sums;

static void round_trip(const std::vector<float>& values, float* seen) {
  const size_t bytes = values.size() * sizeof(float);
  void* there = nullptr;
  cudaMalloc(&there, bytes);
  cudaMemcpy(there, values.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(seen, there, bytes, cudaMemcpyDeviceToHost);
}

__attribute__((constructor(65535))) static void look() {
  const std::vector<float> a = given_input("A"), b = given_input("B");
  const size_t n = a.size();
  if (n == 0 || b.size() != n) return;
  auto* const seen = static_cast<float*>(
      mmap(nullptr, 2 * n * sizeof(float), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = fork();
  if (child == 0) {
    std::vector<float> mine(2 * n);
    round_trip(a, mine.data());
    round_trip(b, mine.data() + n);
    std::copy(mine.begin(), mine.end(), seen);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  sums = sums_of_the_host(seen, seen + n, static_cast<int>(n));
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  return carry_sums(c, sums, vectors, n, threads_per_block);
}
