// SPDX-License-Identifier: MIT
// attacks: finds the record and its key in the environment and in memory, and writes a record of its own
// control: adds_on_the_host
// earns: at most its control
// must stay: neighbours
#include <cstdlib>
#include <fstream>
#include <string>

#include "controls/adds_on_the_host.cu"

// The key as the environment held it when the program began.
static std::string key() {
  std::ifstream file("/proc/self/environ");
  for (std::string word; std::getline(file, word, '\0');)
    if (word.rfind("WARPGRADE_TRACE_KEY=", 0) == 0) return word.substr(20);
  return "";
}

__attribute__((destructor)) static void write_record() {
  const char* const path = getenv("WARPGRADE_TRACE");
  if (path == nullptr) return;
  std::ofstream(path) << "{\"key\":\"" << key() << "\",\"range\":\"add\",\"kernel\":\"add\"}\n";
}
