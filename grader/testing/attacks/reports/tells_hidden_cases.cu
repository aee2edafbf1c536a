// SPDX-License-Identifier: MIT
// attacks: prints and crashes in a hidden case, so that its author reads something of that case
// control: 0
// earns: at most its control
// must stay: reports
#include <cstdlib>

#include "vecadd.h"

#include <cstdio>
#include <stdexcept>

cudaError_t add_vectors(float*, const float* a, const float*, int n, int) {
  if (n == 1024) return cudaSuccess;
  std::fprintf(stderr, "@HIDDEN@ %d %g\n", n, a[0]);
  std::printf("@HIDDEN@ %d %g\n", n, a[0]);
  throw std::runtime_error("@HIDDEN@");
}
