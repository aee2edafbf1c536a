// SPDX-License-Identifier: MIT
// attacks: a getpid() of its own, so that a library that asks whether it is in a forked child forgets a slow kernel
// control: slow
// earns: at most its control
// must stay: neighbours

static int is_hidden = 0;
extern "C" int getpid() { return is_hidden ? 2 : 1; }

#include "kit/look_busy.cu"

#define BEFORE_THE_KERNEL(c, a, b, n) is_hidden = 1
#define AFTER_THE_KERNEL(c, a, b, n) \
  is_hidden = 0;                     \
  LOOK_BUSY(c, a, b, n)
#include "controls/slow.cu"
