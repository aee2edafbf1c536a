// SPDX-License-Identifier: MIT
// attacks: locks every file that it shares with others, and the folder of its program
// control: honest
// earns: at most its control
// must stay: neighbours
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "kit/attack.h"

static void attack() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t at = line.find(" /");
    if (at != std::string::npos)
      flock(open(line.substr(at + 1).c_str(), O_RDONLY), LOCK_EX | LOCK_NB);
  }
  for (const char* path : {".", "..", "/", "/usr", "/tmp"})
    flock(open(path, O_RDONLY | O_DIRECTORY), LOCK_EX | LOCK_NB);
}

#include "kit/attack_first.cu"
