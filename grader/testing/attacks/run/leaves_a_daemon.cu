// SPDX-License-Identifier: MIT
// attacks: a process of its own session that outlives the program
// control: honest
// earns: at most its control
// must stay: processes, neighbours
#include <signal.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_IGN);
  for (int file = 0; file < 256; ++file) close(file);
  sleep(600);
}

#include "kit/attack_first.cu"
