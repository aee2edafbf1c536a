// SPDX-License-Identifier: MIT
// attacks: connects to the device before the library does, so that its empty connection is the one on record
// control: slow
// earns: at most its control
// must stay: neighbours, processes
#include "kit/own_client.h"

__attribute__((constructor)) static void come_first() { new OwnClient; }

#include "controls/slow.cu"
