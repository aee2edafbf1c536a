// SPDX-License-Identifier: MIT
// attacks: opens ranges that have the names by which the grader tells cases and repetitions apart
// control: slow
// earns: at most its control
// must stay: neighbours
#include "kit/domain.cu"
#include "kit/look_busy.cu"

#define BEFORE_THE_KERNEL(c, a, b, n)        \
  nvtxRangePop();                            \
  nvtxRangePop();                            \
  nvtxRangePushA("warpgrade.repetition:9");  \
  push("warpgrade.case:7");                  \
  push("add")
#define AFTER_THE_KERNEL(c, a, b, n)         \
  pop();                                     \
  pop();                                     \
  nvtxRangePop();                            \
  nvtxRangePushA("warpgrade.repetition:0");  \
  nvtxRangePushA("add");                     \
  LOOK_BUSY(c, a, b, n)
#include "controls/slow.cu"
