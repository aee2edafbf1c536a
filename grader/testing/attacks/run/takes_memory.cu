// SPDX-License-Identifier: MIT
// attacks: more memory than its limit, of the heap
// control: honest
// earns: at most its control
// must stay: neighbours, memory
// undefended: running reaches it
#include <cstdlib>
#include <cstring>

#include "kit/attack.h"

static void attack() {
  size_t held = 0;
  for (int i = 0; i < 96; ++i) {
    void* const part = std::malloc(16 << 20);
    if (part == nullptr) break;
    std::memset(part, 1, 16 << 20);
    held += 16 << 20;
  }
  reach(held > size_t{1} << 30, "more than a gigabyte");
}

#include "kit/attack_first.cu"
