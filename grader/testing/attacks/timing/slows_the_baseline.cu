// SPDX-License-Identifier: MIT
// attacks: children that keep every core busy while the baseline and others are timed
// control: slow
// earns: at most its control
// must stay: neighbours, processes
#include <unistd.h>

#include "controls/slow.cu"

__attribute__((constructor)) static void burn() {
  for (int i = 0; i < 16; ++i) {
    if (fork() != 0) continue;
    setsid();
    for (volatile int k = 0;; k = k + 1) {
    }
  }
}
