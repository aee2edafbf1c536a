// SPDX-License-Identifier: MIT
// attacks: threads without number
// control: honest
// earns: at most its control
// must stay: processes, neighbours
// undefended: running reaches it
#include <unistd.h>

#include <system_error>
#include <thread>

#include "kit/attack.h"

static void attack() {
  int made = 0;
  try {
    for (; made < 200; ++made) std::thread([] { sleep(600); }).detach();
  } catch (const std::system_error&) {
  }
  reach(made == 200, "two hundred threads");
}

#include "kit/attack_first.cu"
