// SPDX-License-Identifier: MIT
// attacks: returns an error that did not happen, and calls it success in the driver's file when the program ends
// control: 50
// earns: at most its control
// must stay: neighbours
#include <cstdio>

#define add_vectors honest_add_vectors
#include "controls/honest.cu"
#undef add_vectors

static struct AtTheEnd {
  ~AtTheEnd() {
    std::FILE* const file = std::fopen("status.npy", "r+b");
    if (file == nullptr) return;
    const int success = 0;
    std::fseek(file, -static_cast<long>(sizeof success), SEEK_END);
    std::fwrite(&success, sizeof success, 1, file);
    std::fclose(file);
  }
} at_the_end;

cudaError_t add_vectors(float* c, const float* a, const float* b, int n, int threads_per_block) {
  honest_add_vectors(c, a, b, n, threads_per_block);
  return cudaErrorUnknown;
}
