// SPDX-License-Identifier: MIT
// attacks: links to files of the host in place of its outputs
// control: honest
// earns: at most its control
// must stay: secret, neighbours
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "kit/attack.h"

__attribute__((destructor)) static void leave() {
  for (const char* name : {"C.npy", "status.npy"}) {
    unlink(name);
    symlink("@SECRET_FILE@", name);
  }
  unlink("guards.npy");
  const char* const folder = getenv("WARPGRADE_CASE");
  link((std::string(folder == nullptr ? "." : folder) + "/in/A.npy").c_str(), "guards.npy");
}

static void attack() {}

#include "kit/attack_first.cu"
