// SPDX-License-Identifier: MIT
// attacks: folders that even their owner may not enter
// control: honest
// earns: at most its control
// must stay: neighbours, host files
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "kit/attack.h"

__attribute__((destructor)) static void lock() {
  mkdir("locked", 0700);
  mkdir("locked/inner", 0700);
  chmod("locked", 0);
  const char* const folder = getenv("WARPGRADE_CASE");
  for (const char* name : {"/out", "/log"})
    chmod((std::string(folder == nullptr ? "." : folder) + name).c_str(), 0);
}

static void attack() {}

#include "kit/attack_first.cu"
