// SPDX-License-Identifier: MIT
// attacks: takes files, processes and memory from the process that started it, so that a weaker way is taken next
// control: honest
// earns: exactly its control
// must stay: neighbours
#include <sys/resource.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  const rlimit none = {0, 0}, most = {RLIM_INFINITY, RLIM_INFINITY};
  for (const pid_t process : {pid_t{1}, getppid()})
    for (const __rlimit_resource what :
         {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_CPU})
      reach(process != getpid() && prlimit(process, what, &none, nullptr) == 0,
            "a limit of another process");
  for (const __rlimit_resource what : {RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_DATA})
    reach(setrlimit(what, &most) == 0, "a higher limit");
}

#include "kit/attack_first.cu"
