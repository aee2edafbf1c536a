// SPDX-License-Identifier: MIT
// attacks: the inputs lie in managed memory; a thread of the host looks at them while a kernel runs, and the host adds
// what it saw
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "kit/carry_sums.h"

__global__ void take_time(float* there) {
  float value = there[0];
  for (int i = 0; i < 700000; ++i) value = value * 0.5f + 1.0f;
  if (value == 7.0f) there[0] = value;
}

/// Copies what the kernel reads, while it does. It stays for that long, so that a copy which is the same twice is whole.
static void look(const float* there, const float* own, std::vector<float>& seen,
                 const std::atomic<bool>& over) {
  const size_t n = seen.size();
  std::vector<float> copy(n), again(n);
  while (!over) {
    if (std::memcmp(there, own, n * sizeof(float)) == 0) continue;
    std::memcpy(copy.data(), there, n * sizeof(float));
    usleep(500);
    std::memcpy(again.data(), there, n * sizeof(float));
    if (over || std::memcmp(copy.data(), again.data(), n * sizeof(float)) != 0) continue;
    if (std::memcmp(again.data(), own, n * sizeof(float)) == 0) continue;
    seen = copy;
    return;
  }
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  float *there_a = nullptr, *there_b = nullptr;
  cudaMallocManaged(&there_a, n * sizeof(float));
  cudaMallocManaged(&there_b, n * sizeof(float));
  std::memcpy(there_a, a, n * sizeof(float));
  std::memcpy(there_b, b, n * sizeof(float));
  std::vector<float> seen_a(a, a + n), seen_b(b, b + n);
  std::atomic<bool> over{false};
  std::thread first(look, there_a, a, std::ref(seen_a), std::cref(over));
  std::thread second(look, there_b, b, std::ref(seen_b), std::cref(over));
  take_time<<<1, 32>>>(there_a);
  over = true;
  first.join();
  second.join();
  cudaDeviceSynchronize();
  const cudaError_t status = carry_sums(c, sums_of_the_host(seen_a.data(), seen_b.data(), n),
                                        vectors, n, threads_per_block);
  cudaFree(there_a);
  cudaFree(there_b);
  return status;
}
