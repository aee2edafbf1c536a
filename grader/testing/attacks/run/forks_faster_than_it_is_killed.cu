// SPDX-License-Identifier: MIT
// attacks: children that fork and leave, so that no list of processes is complete
// control: 0
// earns: at most its control
// must stay: processes, neighbours
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  for (;;) {
    if (fork() > 0) _exit(0);
    setsid();
  }
}

#include "kit/attack_first.cu"
