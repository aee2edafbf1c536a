// SPDX-License-Identifier: MIT
#include "sandbox/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace warpgrade {
namespace {

constexpr long long kNsPerMs = 1'000'000;

/// Memory of a tree by where it shows. What is in a mapping and in an open file is the same memory twice.
struct TreeMemory {
  size_t anonymous_bytes = 0, mapped_bytes = 0, file_bytes = 0;
  std::set<std::pair<dev_t, ino_t>> files;
  std::set<dev_t> mounts;
};

void add_resident(pid_t process, TreeMemory& memory) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    const auto bytes = [&line] { return std::stoul(line.substr(line.find(':') + 1)) * 1024; };
    if (line.starts_with("RssAnon:")) memory.anonymous_bytes += bytes();
    if (line.starts_with("RssShmem:")) memory.mapped_bytes += bytes();
  }
}

/// Files in memory that have no name: memfd_create's, and others that were removed.
void add_nameless_files(pid_t process, TreeMemory& memory) {
  constexpr size_t kBlockBytes = 512;  // unit of st_blocks, whatever the file system
  const std::string folder = fmt::format("/proc/{}/fd", process);
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr) {
    const std::string path = folder + '/' + entry->d_name;
    struct stat info {};
    struct statfs system {};
    const bool is_nameless =
        ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 0;
    if (!is_nameless || ::statfs(path.c_str(), &system) != 0) continue;
    const bool in_memory = system.f_type == TMPFS_MAGIC || system.f_type == HUGETLBFS_MAGIC;
    if (in_memory && memory.files.insert({info.st_dev, info.st_ino}).second)
      memory.file_bytes += static_cast<size_t>(info.st_blocks) * kBlockBytes;
  }
}

/// File systems in memory that a sandbox has in place of the machine's.
void add_own_mounts(pid_t process, TreeMemory& memory) {
  for (const char* place : {"/tmp", "/dev/shm"}) {
    const std::string path = fmt::format("/proc/{}/root{}", process, place);
    struct stat ours {
    }, theirs{};
    struct statfs system {};
    if (::stat(path.c_str(), &theirs) != 0 || ::statfs(path.c_str(), &system) != 0) continue;
    const bool is_own = ::stat(place, &ours) != 0 || ours.st_dev != theirs.st_dev;
    if (is_own && system.f_type == TMPFS_MAGIC && memory.mounts.insert(theirs.st_dev).second)
      memory.file_bytes += (system.f_blocks - system.f_bfree) * static_cast<size_t>(system.f_bsize);
  }
}

/// Whether a fork of this process has not yet become the program that it is to run: its memory is this one's. No
/// sandbox holds this program.
bool is_still_ours(pid_t process) {
  struct stat ours {
  }, its{};
  return ::stat("/proc/self/exe", &ours) == 0 &&
         ::stat(fmt::format("/proc/{}/exe", process).c_str(), &its) == 0 &&
         ours.st_dev == its.st_dev && ours.st_ino == its.st_ino;
}

/// Whether a thread, by its folder in /proc, could run (proc(5), `stat`: the state follows the name in parentheses).
bool is_ready(const std::string& task) {
  std::ifstream file(task + "/stat");
  std::string stat;
  std::getline(file, stat);
  const size_t name_end = stat.rfind(')');
  return name_end != stat.npos && name_end + 2 < stat.size() && stat[name_end + 2] == 'R';
}

void add_tree(pid_t process, TreeMemory& memory) {
  if (!is_still_ours(process)) add_resident(process, memory);
  add_nameless_files(process, memory);
  add_own_mounts(process, memory);
  for (const pid_t child : children_of(process)) add_tree(child, memory);
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
  TreeMemory memory;
  add_tree(process, memory);
  return memory.anonymous_bytes + std::max(memory.mapped_bytes, memory.file_bytes);
}

ProcessorTime ThreadTime::total() const {
  return {static_cast<long>(ran_ns / kNsPerMs), static_cast<long>(waited_ns / kNsPerMs) + waits_ms};
}

void note_processor_times(pid_t process, long since_ms, std::map<pid_t, ThreadTime>& times) {
  const std::string tasks = fmt::format("/proc/{}/task", process);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(tasks.c_str()), &::closedir);
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (entry->d_name[0] == '.') continue;
    const std::string task = fmt::format("{}/{}", tasks, entry->d_name);
    // Two times in ns: on a processor, and ready without one.
    std::ifstream schedule(task + "/schedstat");
    ThreadTime now;
    if (!(schedule >> now.ran_ns >> now.waited_ns)) continue;
    const auto [known, is_new] = times.try_emplace(std::atoi(entry->d_name));
    ThreadTime& before = known->second;
    // The kernel adds a wait when it ends: a thread that is ready and did not run since the last look has waited.
    if (is_new || (before.ran_ns == now.ran_ns && before.waited_ns == now.waited_ns)) {
      const ProcessorTime counted = is_new ? now.total() : ProcessorTime{};
      const long uncounted_ms = std::max(0L, since_ms - counted.ran_ms - counted.waited_ms);
      if (is_ready(task)) now.waits_ms = before.waits_ms + uncounted_ms;
    }
    before = now;
  }
  for (const pid_t child : children_of(process)) note_processor_times(child, since_ms, times);
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
