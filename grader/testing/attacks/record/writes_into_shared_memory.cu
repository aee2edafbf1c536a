// SPDX-License-Identifier: MIT
// attacks: overwrites all memory that it shares with another process, while the device works and after it
// control: wrong
// earns: at most its control
// must stay: neighbours, processes
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

static void overwrite(int pattern) {
  static const unsigned long kMost = 16 << 20;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = {};
    std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights);
    if (rights[1] != 'w' || rights[3] != 's') continue;
    std::memset(reinterpret_cast<void*>(begin), pattern, end - begin < kMost ? end - begin : kMost);
  }
}

#define BEFORE_THE_KERNEL(c, a, b, n)
#define AFTER_THE_KERNEL(c, a, b, n) (overwrite(0xff), overwrite(0x01))
#include "controls/wrong.cu"
