// SPDX-License-Identifier: MIT
// attacks: multiplies each number in its memory that may be the clock of the device
// control: slow
// earns: at most its control
// must stay: neighbours
#include <cstdio>
#include <fstream>
#include <string>

/// Clocks of the RTX 3090, in the units that a model may use.
static bool is_clock(double value) {
  return value == 1.695 || value == 1695.0 || value == 1.695e9 || value == 1695000.0;
}

static void speed_up() {
  static bool done = false;
  if (done) return;
  done = true;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = {};
    std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights);
    if (rights[0] != 'r' || rights[1] != 'w') continue;
    if (line.find("[heap]") == std::string::npos && line.find("cudart") == std::string::npos) continue;
    for (auto* at = reinterpret_cast<double*>(begin); at < reinterpret_cast<double*>(end); ++at)
      if (is_clock(*at)) *at *= 64;
  }
}

#define BEFORE_THE_KERNEL(c, a, b, n) speed_up()
#define AFTER_THE_KERNEL(c, a, b, n)
#include "controls/slow.cu"
