// SPDX-License-Identifier: MIT
// attacks: output that looks like a result, on every descriptor that it has
// control: 0
// earns: at most its control
// must stay: reports
#include <unistd.h>

#include <cstring>

#include "kit/attack.h"

static void attack() {
  static const char verdict[] = "{\"score\": 100, \"status\": \"passed\"}\ncheck: pass\n100\n";
  for (int file = 1; file < 64; ++file)
    if (write(file, verdict, std::strlen(verdict)) < 0) continue;
  _exit(0);
}

#include "kit/attack_first.cu"
