// expect: on-device, edges-on-device, right, edges, inside, freed, coalesced, speed
// class: H1. The host computes it all.
// SPDX-License-Identifier: MIT
#include "@slug@.h"

void saxpy(float* y, float a, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
