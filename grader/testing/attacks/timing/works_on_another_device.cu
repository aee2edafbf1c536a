// SPDX-License-Identifier: MIT
// attacks: a child adds slowly on a device of its own, which is not recorded; the kernel on record carries its sums
// control: slow
// earns: at most its control
// must stay: neighbours
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "kit/given_inputs.h"
#include "kit/slow_sums.cu"

static float* sums_of_child = nullptr;

__attribute__((constructor(65535))) static void work() {
  const std::vector<float> a = given_input("A"), b = given_input("B");
  const int n = static_cast<int>(a.size());
  if (n == 0 || b.size() != a.size()) return;
  sums_of_child = static_cast<float*>(
      mmap(nullptr, n * sizeof(float), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t child = fork();
  if (child == 0) {
    const Vectors vectors(n * sizeof(float));
    upload(vectors, a.data(), b.data(), n);
    const std::vector<float> sums = slow_sums(vectors, n, 256);
    std::copy(sums.begin(), sums.end(), sums_of_child);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  return carry_sums(c, {sums_of_child, sums_of_child + n}, vectors, n, threads_per_block);
}
