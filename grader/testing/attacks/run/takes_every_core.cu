// SPDX-License-Identifier: MIT
// attacks: threads that keep every core busy, at the best priority
// control: honest
// earns: exactly its control
// must stay: neighbours
#include <sched.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>
#include <vector>

#include "kit/attack.h"

static void attack() {
  reach(setpriority(PRIO_PROCESS, 0, -20) == 0, "a better priority");
  const sched_param most = {50};
  reach(sched_setscheduler(0, SCHED_FIFO, &most) == 0, "real-time scheduling");
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  std::vector<std::thread> all;
  for (int i = 0; i < 8; ++i)
    all.emplace_back([until] {
      while (std::chrono::steady_clock::now() < until) {
      }
    });
  for (std::thread& each : all) each.join();
}

#include "kit/attack_first.cu"
