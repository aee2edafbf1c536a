// SPDX-License-Identifier: MIT
// attacks: more memory than its limit, in memfds, which belong to no process
// control: honest
// earns: at most its control
// must stay: neighbours, memory
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "kit/attack.h"

static void attack() {
  static char bytes[1 << 20];
  std::memset(bytes, 1, sizeof bytes);
  size_t held = 0;
  for (int i = 0; i < 24; ++i) {
    const int file = memfd_create("x", 0);
    for (int k = 0; k < 63; ++k)
      if (write(file, bytes, sizeof bytes) == sizeof bytes) held += sizeof bytes;
  }
  reach(held > size_t{1} << 30, "more than a gigabyte of memfds");
}

#include "kit/attack_first.cu"
