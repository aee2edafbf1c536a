// SPDX-License-Identifier: MIT
// attacks: more rights: set-user-id programs, capabilities, other users
// control: honest
// earns: exactly its control
// must stay: host files
// undefended: running reaches it
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  reach(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0, "set-user-id programs may raise its rights");
  reach(getuid() == 0 || setuid(0) == 0, "root");
  reach(setgid(0) == 0 && getegid() == 0 && geteuid() == 0, "root's group");
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[2] = {};
  syscall(SYS_capget, &header, held);
  reach(held[0].effective != 0 || held[1].effective != 0, "capabilities");
}

#include "kit/attack_first.cu"
