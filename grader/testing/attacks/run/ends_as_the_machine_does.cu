// SPDX-License-Identifier: MIT
// attacks: ends with the status by which drivers say that the machine failed, so that it has no grade
// control: 0
// earns: at most its control
// must stay: neighbours
#include <unistd.h>

#include "kit/attack.h"

static void attack() { _exit(98); }

#include "kit/attack_first.cu"
