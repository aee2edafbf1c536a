// SPDX-License-Identifier: MIT
// attacks: writes its own program, its inputs, the libraries, and the system's folders
// control: honest
// earns: exactly its control
// must stay: host files
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "kit/attack.h"

static void try_to_write(const std::string& path) {
  reach(open(path.c_str(), O_WRONLY) >= 0, path.c_str());
}

static void attack() {
  const char* const variable = getenv("WARPGRADE_CASE");
  const std::string folder = variable == nullptr ? "." : variable;
  try_to_write("/proc/self/exe");
  for (const char* name : {"/in/A.npy", "/in/B.npy", "/in/0/A.npy"}) try_to_write(folder + name);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t at = line.find(" /");
    if (at != std::string::npos && line.find(".so") != std::string::npos)
      try_to_write(line.substr(at + 1));
  }
  for (const char* place : {"", "/usr", "/etc", "/usr/lib", "/proc/sys/kernel"})
    reach(open((std::string(place) + "/@MARK@").c_str(), O_CREAT | O_WRONLY, 0600) >= 0, place);
}

#include "kit/attack_first.cu"
