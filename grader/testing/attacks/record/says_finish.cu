// SPDX-License-Identifier: MIT
// attacks: tells the device that no more programs come, as the grader does, before its slow kernel
// control: slow
// earns: at most its control
// must stay: neighbours, processes
#include "kit/own_client.h"

#define BEFORE_THE_KERNEL(c, a, b, n) OwnClient client(wire::Packet::finish)
#define AFTER_THE_KERNEL(c, a, b, n)
#include "controls/slow.cu"
