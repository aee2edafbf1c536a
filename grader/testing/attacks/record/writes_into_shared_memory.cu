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
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = {};
    std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights);
    if (rights[1] == 'w' && rights[3] == 's')
      std::memset(reinterpret_cast<void*>(begin), pattern, end - begin);
  }
}

#define BEFORE_THE_KERNEL(c, a, b, n)
#define AFTER_THE_KERNEL(c, a, b, n) (overwrite(0xff), overwrite(0x01))
#include "controls/wrong.cu"
