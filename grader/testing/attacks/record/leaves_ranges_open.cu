// SPDX-License-Identifier: MIT
// attacks: closes no range, names them with a megabyte, and nests ten thousand of them
// control: honest
// earns: at most its control
// must stay: neighbours, memory, reports
#include "kit/domain.cu"

#include <string>

#include "kit/attack.h"

static void attack() {
  const std::string name(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) push(name.c_str());
  for (int i = 0; i < 10000; ++i) push("add");
}

#include "kit/attack_first.cu"
