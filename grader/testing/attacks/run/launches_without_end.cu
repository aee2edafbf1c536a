// SPDX-License-Identifier: MIT
// attacks: calls of CUDA without an end, each of which the device records
// control: 0
// earns: at most its control
// must stay: neighbours, memory, reports
#include "vecadd.h"

__global__ void do_nothing() {}

cudaError_t add_vectors(float*, const float*, const float*, int, int) {
  for (;;) do_nothing<<<1, 1>>>();
}
