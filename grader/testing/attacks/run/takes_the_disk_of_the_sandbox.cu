// SPDX-License-Identifier: MIT
// attacks: gigabytes in each place that it may write: /dev/shm, /tmp, its folders
// control: honest
// earns: at most its control
// must stay: neighbours, host files
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "kit/attack.h"

static void attack() {
  static char bytes[1 << 20];
  std::memset(bytes, 1, sizeof bytes);
  size_t held = 0;
  for (const char* path : {"/dev/shm/@MARK@", "/tmp/@MARK@", "/@MARK@", "/dev/@MARK@", "@MARK@"}) {
    const int file = open(path, O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < 700 && write(file, bytes, sizeof bytes) == sizeof bytes; ++i)
      held += sizeof bytes;
    close(file);
  }
  reach(held > size_t{1} << 30, "more than a gigabyte of files");
}

#include "kit/attack_first.cu"
