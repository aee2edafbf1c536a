// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/work_log.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "emulator/runtime/record/trace.h"

namespace warpgrade::emulator {

void log_work(const std::string& path, const std::string& kernel, const LaunchWork& work) {
  if (path.empty()) return;
  Json line = {{"kernel", kernel}};
  visit_numbers(work, [&](const char* name, double value) { line[name] = value; });
  std::ofstream(path, std::ios::app) << line.dump() << '\n';
}

}  // namespace warpgrade::emulator
