// SPDX-License-Identifier: MIT
// attacks: writes files of the host that every user may write, and places that every process may write
// control: honest
// earns: exactly its control
// must stay: host files
// undefended: running reaches it
#include <fcntl.h>
#include <unistd.h>

#include "kit/attack.h"

static void attack() {
  const int file = open("@HOST_FILE@", O_WRONLY | O_TRUNC);
  reach(file >= 0 && write(file, "ann,0\n", 6) == 6, "a file of the host");
  // These are the sandbox's own; what is left there must not reach the host.
  for (const char* path : {"/tmp/@MARK@", "/var/tmp/@MARK@", "/dev/shm/@MARK@"})
    open(path, O_CREAT | O_RDWR, 0666);
}

#include "kit/attack_first.cu"
