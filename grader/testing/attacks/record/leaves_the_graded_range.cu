// SPDX-License-Identifier: MIT
// attacks: takes the grader's NVTX domain, leaves the graded range for a slow kernel and comes back
// control: slow
// earns: at most its control
// must stay: neighbours
#include "kit/domain.cu"
#include "kit/look_busy.cu"

#define BEFORE_THE_KERNEL(c, a, b, n) pop()
#define AFTER_THE_KERNEL(c, a, b, n) \
  push("add");                       \
  LOOK_BUSY(c, a, b, n)
#include "controls/slow.cu"
