// SPDX-License-Identifier: MIT
#include "sandbox/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
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

void note_waits(pid_t process, std::map<pid_t, long>& waited_ms) {
  const std::string tasks = fmt::format("/proc/{}/task", process);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(tasks.c_str()), &::closedir);
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    // Two times in ns: on a processor, and ready without one.
    std::ifstream schedule(fmt::format("{}/{}/schedstat", tasks, entry->d_name));
    long long ran_ns = 0, waited_ns = 0;
    if (schedule >> ran_ns >> waited_ns)
      waited_ms[std::atoi(entry->d_name)] = static_cast<long>(waited_ns / 1'000'000);
  }
  for (const pid_t child : children_of(process)) note_waits(child, waited_ms);
}

void TreeHandles::add(pid_t process) {
  constexpr size_t kMost = 32;
  if (handles_.size() == kMost) return;
  Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (handle) handles_.push_back(std::move(handle));
  for (const pid_t child : children_of(process)) add(child);
}

bool TreeHandles::gone_within(int milliseconds) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (const Descriptor& handle : handles_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd ended{handle.get(), POLLIN, 0};
    if (::poll(&ended, 1, std::max(0, static_cast<int>(left.count()))) == 0) return false;
  }
  return true;
}

}  // namespace warpgrade
