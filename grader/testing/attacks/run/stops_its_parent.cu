// SPDX-License-Identifier: MIT
// attacks: stops the process that started it and never ends
// control: 0
// earns: at most its control
// must stay: processes, neighbours
#include <signal.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  kill(getppid(), SIGSTOP);
  for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_IGN);
  for (;;) pause();
}

#include "kit/attack_first.cu"
