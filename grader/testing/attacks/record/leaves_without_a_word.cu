// SPDX-License-Identifier: MIT
// attacks: ends by _exit() or by a signal, so that the device is not told what came last
// control: slow
// earns: at most its control
// must stay: neighbours, processes
#include <signal.h>
#include <unistd.h>

#include "controls/slow.cu"

__attribute__((destructor)) static void leave() { _exit(0); }
