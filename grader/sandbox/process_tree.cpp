// SPDX-License-Identifier: MIT
#include "sandbox/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <string>

namespace warpgrade {
namespace {

size_t own_memory_bytes(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  size_t total_kb = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("RssAnon:", 0) == 0 || line.rfind("RssShmem:", 0) == 0) {
      total_kb += std::stoul(line.substr(line.find(':') + 1));
    }
  }
  return total_kb * 1024;
}

}  // namespace

std::vector<pid_t> children_of(pid_t process) {
  const std::string tasks = fmt::format("/proc/{}/task", process);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(tasks.c_str()), &::closedir);
  std::vector<pid_t> found;
  if (!folder) return found;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream children(fmt::format("{}/{}/children", tasks, entry->d_name));
    for (pid_t child = 0; children >> child;) found.push_back(child);
  }
  return found;
}

size_t tree_memory_bytes(pid_t process) {
  size_t total = own_memory_bytes(process);
  for (const pid_t child : children_of(process)) total += tree_memory_bytes(child);
  return total;
}

}  // namespace warpgrade
