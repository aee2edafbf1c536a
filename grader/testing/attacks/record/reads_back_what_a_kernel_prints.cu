// SPDX-License-Identifier: MIT
// attacks: a kernel prints what the device holds, into a stream of the host's own; the host adds that
// control: copies_an_input
// earns: at most its control
// must stay: neighbours
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kit/carry_sums.h"

__global__ void tell(const unsigned* a, const unsigned* b, int first, int n) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) printf("%x %x %x\n", i, a[i], b[i]);
}

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  Vectors vectors(n * sizeof(float));
  upload(vectors, a, b, n);
  char* text = nullptr;
  size_t length = 0;
  std::fflush(stdout);
  FILE* const kept = stdout;
  stdout = open_memstream(&text, &length);
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 64 << 20);
  for (int first = 0; first < n; first += 64 * threads_per_block)
    tell<<<64, threads_per_block>>>(reinterpret_cast<unsigned*>(vectors.a),
                                    reinterpret_cast<unsigned*>(vectors.b), first, n);
  cudaDeviceSynchronize();
  std::fclose(stdout);
  stdout = kept;
  std::vector<float> seen(2 * n);
  char* at = text;
  while (at != nullptr && *at != 0) {
    const unsigned long i = std::strtoul(at, &at, 16);
    const auto x = static_cast<unsigned>(std::strtoul(at, &at, 16)),
               y = static_cast<unsigned>(std::strtoul(at, &at, 16));
    if (i >= static_cast<unsigned long>(n)) break;
    std::memcpy(&seen[i], &x, sizeof x);
    std::memcpy(&seen[n + i], &y, sizeof y);
    while (*at == '\n') ++at;
  }
  return carry_sums(c, sums_of_the_host(seen.data(), seen.data() + n, n), vectors, n, threads_per_block);
}
