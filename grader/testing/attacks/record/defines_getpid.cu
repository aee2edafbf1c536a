// SPDX-License-Identifier: MIT
// attacks: a getpid() of its own, so that what asks whether it is still the same process is told no
// control: reads_uninitialised
// earns: at most its control
// must stay: neighbours

static int is_hidden = 0;
extern "C" int getpid() { return is_hidden ? 2 : 1; }

#define BEFORE_THE_KERNEL(c, a, b, n) is_hidden = 1
#define AFTER_THE_KERNEL(c, a, b, n) is_hidden = 0
#include "controls/reads_uninitialised.cu"
