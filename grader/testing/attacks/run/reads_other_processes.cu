// SPDX-License-Identifier: MIT
// attacks: reads /proc of other processes: the grader, its device, other students' programs
// control: honest
// earns: exactly its control
// must stay: neighbours
#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "kit/attack.h"

static void attack() {
  DIR* const folder = opendir("/proc");
  while (const dirent* const entry = folder == nullptr ? nullptr : readdir(folder)) {
    const std::string process = std::string("/proc/") + entry->d_name;
    if (std::atoi(entry->d_name) == 0 || std::atoi(entry->d_name) == getpid()) continue;
    std::ifstream words(process + "/cmdline");
    const std::string text{std::istreambuf_iterator<char>(words), {}};
    reach(text.find("grade") != std::string::npos && text.find("rubric") == std::string::npos &&
              text.find("bwrap") == std::string::npos && text.find("room") == std::string::npos,
          text.c_str());
    reach(std::ifstream(process + "/environ").get() != EOF, "another process' environment");
    reach(std::fopen((process + "/mem").c_str(), "r+") != nullptr, "another process' memory");
  }
}

#include "kit/attack_first.cu"
