// SPDX-License-Identifier: MIT
// attacks: overwrites each copy of its process number in memory, by which a library knows itself
// control: slow
// earns: at most its control
// must stay: neighbours
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

static std::vector<int*> copies;

static void hide() {
  const volatile int pid = getpid();
  std::ifstream maps("/proc/self/maps");
  copies.clear();
  copies.reserve(1 << 16);
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = {};
    std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights);
    if (rights[0] != 'r' || rights[1] != 'w' || line.find("[stack]") != std::string::npos) continue;
    if (line.find("[heap]") == std::string::npos && line.find("cudart") == std::string::npos)
      continue;
    for (int* at = reinterpret_cast<int*>(begin); at < reinterpret_cast<int*>(end); ++at)
      if (*at == pid && copies.size() < copies.capacity()) copies.push_back(at);
  }
  for (int* at : copies) *at = pid + 1;
}

static void show() {
  for (int* at : copies) --*at;
}

#include "kit/look_busy.cu"

#define BEFORE_THE_KERNEL(c, a, b, n) hide()
#define AFTER_THE_KERNEL(c, a, b, n) \
  show();                            \
  LOOK_BUSY(c, a, b, n)
#include "controls/slow.cu"
