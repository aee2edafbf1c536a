// SPDX-License-Identifier: MIT
// attacks: namespaces of its own, in which it is root
// control: honest
// earns: exactly its control
// must stay: neighbours, host files
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  const long child =
      syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) _exit(0);
  reach(child > 0, "a user namespace by clone");
  struct {
    unsigned long long flags = CLONE_NEWUSER, more[4] = {}, stack[3] = {}, rest[3] = {};
  } wanted;
  wanted.more[3] = SIGCHLD;
  const long other = syscall(435, &wanted, 88ul);  // clone3
  if (other == 0) _exit(0);
  reach(other > 0, "a user namespace by clone3");
  for (const int space :
       {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS})
    reach(unshare(space) == 0, "a namespace by unshare");
  while (wait(nullptr) > 0) {
  }
}

#include "kit/attack_first.cu"
