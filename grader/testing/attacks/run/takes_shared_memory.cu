// SPDX-License-Identifier: MIT
// attacks: more memory than its limit, in shared anonymous pages
// control: honest
// earns: at most its control
// must stay: neighbours, memory
// undefended: running reaches it
#include <sys/mman.h>

#include <cstring>

#include "kit/attack.h"

static void attack() {
  size_t held = 0;
  for (int i = 0; i < 24; ++i) {
    void* const part =
        mmap(nullptr, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (part == MAP_FAILED) break;
    std::memset(part, 1, 64 << 20);
    held += 64 << 20;
  }
  reach(held > size_t{1} << 30, "more than a gigabyte of shared pages");
}

#include "kit/attack_first.cu"
