// SPDX-License-Identifier: MIT
// attacks: system calls that no CUDA program needs and no namespace contains
// control: honest
// earns: exactly its control
// must stay: processes
// undefended: running reaches it
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  char nothing[256] = {};
  reach(syscall(SYS_keyctl, 0, -3, 1) >= 0, "keyctl");
  reach(syscall(SYS_add_key, "user", "@MARK@", "x", 1, -3) >= 0, "add_key");
  reach(syscall(SYS_io_uring_setup, 4, nothing) >= 0, "io_uring");
  reach(syscall(SYS_bpf, 0, nothing, 64) >= 0, "bpf");
  reach(syscall(SYS_userfaultfd, 1) >= 0, "userfaultfd");
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.exclude_kernel = 1;
  reach(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) >= 0, "perf_event_open");
  reach(syscall(SYS_open_by_handle_at, -100, nothing, 0) >= 0, "open_by_handle_at");
}

#include "kit/attack_first.cu"
