// SPDX-License-Identifier: MIT
// attacks: a constructor scans the heap for what looks like a key, before anything else may run
// control: honest
// earns: exactly its control
// must stay: neighbours
#include <cctype>
#include <cstdio>
#include <fstream>
#include <string>

#include "kit/attack.h"

/// Whether 64 hexadecimal digits stand alone somewhere in the writable memory of the program.
static bool finds_key() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = {};
    std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights);
    if (rights[0] != 'r' || rights[1] != 'w' || end - begin > (8ul << 20)) continue;
    if (line.find("[heap]") == std::string::npos && line.find(".so") == std::string::npos) continue;
    int digits = 0;
    for (const char* at = reinterpret_cast<const char*>(begin);
         at < reinterpret_cast<const char*>(end); ++at) {
      const bool is_digit = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f');
      if (!is_digit && digits == 64) return true;
      digits = is_digit ? digits + 1 : 0;
    }
  }
  return false;
}

static void attack() { reach(finds_key(), "64 hexadecimal digits"); }

#include "kit/attack_first.cu"
