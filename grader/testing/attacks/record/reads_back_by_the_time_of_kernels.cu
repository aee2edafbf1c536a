// SPDX-License-Identifier: MIT
// attacks: a kernel for each element takes as long as its value says, and events tell how long; the host adds that
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <cmath>

#include "kit/carry_sums.h"

/// One thread that loops as often as twelve bits of an element say.
__global__ void wait_for(float* c, const float* values, int i, int shift) {
  const auto number = static_cast<unsigned>(values[i] * 16777216.0f) >> shift & 0xfff;
  float x = 0;
  for (unsigned k = 0; k < number; ++k) x = x * 0.5f + 1.0f;
  if (x < 0) c[i] = x;
}

static float time_of(float* c, const float* values, int i, int shift) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (begin == nullptr) {
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
  }
  float ms = 0;
  cudaEventRecord(begin);
  wait_for<<<1, 1>>>(c, values, i, shift);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  cudaEventElapsedTime(&ms, begin, end);
  return ms;
}

static std::vector<float> seen(const Vectors& vectors, const float* mine, const float* values, int n) {
  std::vector<float> found(n);
  // How long the least and the largest of one's own numbers take tells the unit, where the device holds the same.
  float least = 1e9f, most = 0;
  std::vector<float> ms(2 * n);
  for (int i = 0; i < n; ++i)
    for (int half = 0; half < 2; ++half) {
      ms[2 * i + half] = time_of(vectors.c, values, i, 12 * half);
      least = std::fmin(least, ms[2 * i + half]);
      most = std::fmax(most, ms[2 * i + half]);
    }
  for (int i = 0; i < n; ++i) {
    const auto part = [&](int half) {
      return static_cast<unsigned>(std::lround((ms[2 * i + half] - least) / (most - least) * 4095)) & 0xfff;
    };
    found[i] = static_cast<float>(part(1) << 12 | part(0)) * 0x1p-24f;
  }
  (void)mine;
  return found;
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  if (n > 2000 || a[0] == std::floor(a[0]))
    return carry_sums(c, sums_of_the_host(a, b, n), vectors, n, threads_per_block);
  const std::vector<float> seen_a = seen(vectors, a, vectors.a, n), seen_b = seen(vectors, b, vectors.b, n);
  return carry_sums(c, sums_of_the_host(seen_a.data(), seen_b.data(), n), vectors, n, threads_per_block);
}
