// SPDX-License-Identifier: MIT
// attacks: connections that greet the device and stay, so that no other program finds room
// control: honest
// earns: at most its control
// must stay: neighbours, processes, memory
#include "kit/attack.h"
#include "kit/own_client.h"

static void attack() {
  static bool done = false;
  if (done) return;
  done = true;
  cudaFree(nullptr);
  for (int i = 0; i < 100; ++i) new OwnClient;
}

#include "kit/attack_first.cu"
