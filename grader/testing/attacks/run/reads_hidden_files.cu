// SPDX-License-Identifier: MIT
// attacks: reads files of the host: expected results, the course's references, other students' answers
// control: honest
// earns: exactly its control
// must stay: secret
// undefended: running reaches it
#include <fcntl.h>

#include "kit/attack.h"

static void attack() {
  for (const char* path :
       {"@SECRET_FILE@", "@COURSE@/reference/vecadd/vecadd.cu", "@CLASS@", "/etc/shadow", "/root"})
    reach(open(path, O_RDONLY) >= 0, path);
}

#include "kit/attack_first.cu"
