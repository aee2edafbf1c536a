// SPDX-License-Identifier: MIT
// attacks: takes the grader's NVTX domain and hides a slow kernel in a range of another name
// control: slow
// earns: at most its control
// must stay: neighbours
#include "kit/domain.cu"
#include "kit/look_busy.cu"

#define BEFORE_THE_KERNEL(c, a, b, n) push("hidden")
#define AFTER_THE_KERNEL(c, a, b, n) \
  pop();                             \
  LOOK_BUSY(c, a, b, n)
#include "controls/slow.cu"
