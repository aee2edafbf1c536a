// SPDX-License-Identifier: MIT
// attacks: three thousand folders in one another, where its outputs go
// control: honest
// earns: at most its control
// must stay: neighbours, host files
#include <sys/stat.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  static bool done = false;
  if (done) return;
  done = true;
  char here[4096];
  if (getcwd(here, sizeof here) == nullptr) return;
  for (int i = 0; i < 3000 && mkdir("d", 0700) == 0 && chdir("d") == 0; ++i) {
  }
  chdir(here);
}

#include "kit/attack_first.cu"
