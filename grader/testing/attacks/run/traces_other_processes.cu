// SPDX-License-Identifier: MIT
// attacks: traces processes and reads and writes their memory
// control: honest
// earns: exactly its control
// must stay: processes, neighbours
// undefended: running reaches it
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  const pid_t child = fork();
  if (child == 0) {
    sleep(1);
    _exit(0);
  }
  reach(ptrace(PTRACE_ATTACH, child, nullptr, nullptr) == 0, "ptrace");
  static int here = 1;
  iovec part{&here, sizeof here};
  reach(process_vm_readv(child, &part, 1, &part, 1, 0) > 0, "process_vm_readv");
  reach(process_vm_writev(child, &part, 1, &part, 1, 0) > 0, "process_vm_writev");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

#include "kit/attack_first.cu"
