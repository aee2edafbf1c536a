// SPDX-License-Identifier: MIT
// attacks: a filter of its own, under which libraries and children see what it likes
// control: honest
// earns: exactly its control
// must stay: neighbours
// undefended: running reaches it
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  sock_filter all = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  sock_fprog program = {1, &all};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  reach(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "a filter by prctl");
  reach(syscall(SYS_seccomp, 1, 0, &program) == 0, "a filter by seccomp");
}

#include "kit/attack_first.cu"
