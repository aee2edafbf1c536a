// SPDX-License-Identifier: MIT
// attacks: output without an end
// control: 0
// earns: at most its control
// must stay: neighbours, memory, reports
#include "kit/attack.h"

static void attack() {
  for (;;) std::puts("a line of output");
}

#include "kit/attack_first.cu"
