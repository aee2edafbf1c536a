// SPDX-License-Identifier: MIT
// attacks: processes without number
// control: honest
// earns: exactly its control
// must stay: processes, neighbours
// undefended: running reaches it
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  static const int kMany = 100;
  int made = 0;
  for (int i = 0; i < kMany; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    if (child > 0) ++made;
  }
  reach(made == kMany, "a hundred processes");
  signal(SIGTERM, SIG_IGN);
  kill(0, SIGTERM);
  while (wait(nullptr) > 0) {
  }
}

#include "kit/attack_first.cu"
