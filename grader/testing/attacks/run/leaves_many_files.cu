// SPDX-License-Identifier: MIT
// attacks: twenty thousand files where its outputs go
// control: honest
// earns: at most its control
// must stay: neighbours, host files, memory
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "kit/attack.h"

static void attack() {
  for (int i = 0; i < 20000; ++i)
    close(open(("file" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0600));
}

#include "kit/attack_first.cu"
