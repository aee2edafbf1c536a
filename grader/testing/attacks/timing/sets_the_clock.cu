// SPDX-License-Identifier: MIT
// attacks: sets and slows the clock of the machine
// control: honest
// earns: exactly its control
// must stay: neighbours
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>

#include "kit/attack.h"

static void attack() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  reach(clock_settime(CLOCK_REALTIME, &now) == 0, "the clock");
  timex change{};
  change.modes = ADJ_TICK;
  change.tick = 10000;
  reach(adjtimex(&change) >= 0, "the clock's rate");
}

#include "kit/attack_first.cu"
