// SPDX-License-Identifier: MIT
// attacks: leaves a core file or has the kernel start a handler
// control: 0
// earns: at most its control
// must stay: host files, processes
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "kit/attack.h"

static void attack() {
  const rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &most);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  raise(SIGSEGV);
}

#include "kit/attack_first.cu"
