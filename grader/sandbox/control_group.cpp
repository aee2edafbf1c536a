// SPDX-License-Identifier: MIT
//
// Theory of operation
//
// Version 2 has one hierarchy. A process may make groups below its own where that folder is its
// own (`systemd-run --user --scope -p Delegate=yes`), or where it is root. Controllers pass on to a
// group's children only where the group itself holds no process, so the grader first moves into a child
// of its own. Where others are in its group too, as a shell is, it takes the next group above that
// already passes the controllers on and that it may write.
//
// Version 1 has a hierarchy for each controller, and no such rule; only root may write there.
//
// A group costs a folder for each command, so groups that are empty again are used again. One that a
// killed grader left is removed by the next. Its processes died with the grader, all but a bubblewrap whose
// other half was killed before it let this one go on; that one waits for ever, and is ended.
#include "sandbox/control_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr const char* kPrefix = "warpgrade-";
constexpr const char* kProcesses = "cgroup.procs";
constexpr const char* kPassedOn = "cgroup.subtree_control";
constexpr std::chrono::milliseconds kPatience{2000};

/// The kernel takes or refuses a value at the call of write() itself.
bool put(const fs::path& file, const std::string& text) {
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return out && ::write(out.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The number behind `key` in a file of lines "key number"; 0 where there is none.
size_t number_of(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  std::string word;
  for (size_t value = 0; in >> word >> value;) {
    if (word == key) return value;
  }
  return 0;
}

bool has_words(const std::string& text, std::initializer_list<std::string_view> words) {
  const std::vector<std::string> all = split(trim(text), ' ');
  return std::all_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(all.begin(), all.end(), word) != all.end();
  });
}

/// Where a hierarchy is mounted: of version 2 with an empty controller.
fs::path mount_of(const std::string& controller) {
  std::ifstream mounts("/proc/self/mounts");
  for (std::string device, place, type, options, rest;
       mounts >> device >> place >> type >> options && std::getline(mounts, rest);) {
    const std::vector<std::string> words = split(options, ',');
    const bool fits = controller.empty() ? type == "cgroup2"
                                         : type == "cgroup" && std::find(words.begin(), words.end(),
                                                                         controller) != words.end();
    if (fits) return place;
  }
  return {};
}

/// This process's group in a hierarchy, relative to its mount.
fs::path own_path(const std::string& controller) {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::vector<std::string> controllers =
        split(line.substr(first + 1, second - first - 1), ',');
    if (std::find(controllers.begin(), controllers.end(), controller) != controllers.end())
      return fs::path(line.substr(second + 1)).relative_path();
  }
  return {};
}

bool is_writable(const fs::path& group) {
  return ::access(group.c_str(), W_OK) == 0 && ::access((group / kProcesses).c_str(), W_OK) == 0;
}

bool passes_on(const fs::path& group) {
  return has_words(contents(group / kPassedOn), {"memory", "pids"});
}

/// Moves this process into a child of its group, so that the group may pass its controllers on.
bool step_down(const fs::path& own) {
  if (!has_words(contents(own / "cgroup.controllers"), {"memory", "pids"})) return false;
  const fs::path child = own / (kPrefix + std::to_string(::getpid()) + "-grader");
  if (::mkdir(child.c_str(), 0755) != 0) return false;
  const std::string self = std::to_string(::getpid());
  if (put(child / kProcesses, self) && put(own / kPassedOn, "+memory +pids")) return true;
  const bool is_back = put(own / kProcesses, self);
  ::rmdir(child.c_str());
  return is_back && false;
}

/// Whether the process's parent is gone. Those of a grader that this one cannot see have theirs.
bool is_stranded(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("PPid:")) return std::atoi(line.c_str() + std::strlen("PPid:")) == 1;
  }
  return false;
}

/// Whether there was any.
bool end_stranded(const fs::path& group) {
  bool found = false;
  std::ifstream processes(group / kProcesses);
  for (pid_t each = 0; processes >> each;)
    found = (each > 1 && is_stranded(each) && ::kill(each, SIGKILL) == 0) || found;
  return found;
}

/// Where groups of version 2 may be made; empty where they may not.
fs::path unified_base() {
  const fs::path mount = mount_of("");
  if (mount.empty()) return {};
  const fs::path own = (mount / own_path("")).lexically_normal();
  if (is_writable(own) && (passes_on(own) || step_down(own))) return own;
  for (fs::path each = own; each != mount && each.has_relative_path();) {
    each = each.parent_path();
    if (is_writable(each) && passes_on(each)) return each;
  }
  return {};
}

/// A process that has just ended is counted for a moment.
void remove_when_empty(const fs::path& group) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (::rmdir(group.c_str()) != 0 && errno == EBUSY && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// The grader that a group is of, by its name; 0 where it is none's.
pid_t owner_of(const std::string& name) {
  return name.starts_with(kPrefix) ? std::atoi(name.c_str() + std::strlen(kPrefix)) : 0;
}

}  // namespace

ControlGroup::~ControlGroup() {
  empty();
  for (const fs::path& folder : folders_) remove_when_empty(folder);
}

Status ControlGroup::limit(size_t memory_bytes, int processes) {
  const std::string bytes = std::to_string(memory_bytes), count = std::to_string(processes);
  bool done = false;
  if (is_unified_) {
    // Not every kernel counts what is swapped out.
    put(memory() / "memory.swap.max", "0");
    done = put(memory() / "memory.max", bytes);
  } else {
    put(memory() / "memory.memsw.limit_in_bytes", "-1");
    done = put(memory() / "memory.limit_in_bytes", bytes);
    put(memory() / "memory.memsw.limit_in_bytes", bytes);
    put(memory() / "memory.max_usage_in_bytes", "0");
  }
  ooms_before_ = number_of(memory() / "memory.events", "oom");
  if (done && put(folders_.back() / "pids.max", count)) return {};
  return Error{fmt::format("cannot set limits in {}: {}", memory().string(), std::strerror(errno))};
}

Result<std::vector<Descriptor>> ControlGroup::doors() const {
  std::vector<Descriptor> doors;
  for (const fs::path& folder : folders_) {
    doors.emplace_back(::open((folder / kProcesses).c_str(), O_WRONLY | O_CLOEXEC));
    if (!doors.back())
      return Error{fmt::format("cannot open {}: {}", folder.string(), std::strerror(errno))};
  }
  return doors;
}

size_t ControlGroup::held_bytes() const {
  const fs::path file = memory() / "memory.stat";
  if (is_unified_) return number_of(file, "anon") + number_of(file, "shmem");
  return number_of(file, "rss") + number_of(file, "shmem");
}

long ControlGroup::kills() const {
  const char* const file = is_unified_ ? "memory.events" : "memory.oom_control";
  return static_cast<long>(number_of(memory() / file, "oom_kill"));
}

bool ControlGroup::came_to_limit() const {
  if (is_unified_) return number_of(memory() / "memory.events", "oom") > ooms_before_;
  // Version 1 counts no such events; a charge of several pages fails a little below the limit.
  const auto bytes_in_file = [this](const char* name) {
    return std::strtoull(contents(memory() / name).c_str(), nullptr, 10);
  };
  constexpr unsigned long long kNearlyBytes = 4 << 20;
  return bytes_in_file("memory.max_usage_in_bytes") + kNearlyBytes >=
         bytes_in_file("memory.limit_in_bytes");
}

bool ControlGroup::counts_processes() const {
  return std::atol(contents(folders_.back() / "pids.current").c_str()) > 0;
}

bool ControlGroup::empty() const {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    bool is_empty = true;
    for (const fs::path& folder : folders_) {
      if (is_unified_) put(folder / "cgroup.kill", "1");
      std::ifstream processes(folder / kProcesses);
      for (pid_t each = 0; processes >> each;) {
        is_empty = false;
        // 0 is a process that this one cannot see; -1 and less would be many.
        if (each > 0) ::kill(each, SIGKILL);
      }
    }
    if (is_empty) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::shared_ptr<ControlGroups> ControlGroups::checked(std::vector<fs::path> bases,
                                                      bool is_unified) {
  std::shared_ptr<ControlGroups> groups(new ControlGroups(std::move(bases), is_unified));
  groups->remove_orphans();
  Result<std::unique_ptr<ControlGroup>> first = groups->take();
  if (!first || !(*first)->limit(size_t{1} << 30, 64) || !(*first)->doors()) return nullptr;
  groups->give_back(std::move(*first));
  return groups;
}

std::shared_ptr<ControlGroups> ControlGroups::find() {
  if (const fs::path base = unified_base(); !base.empty()) {
    if (auto groups = checked({base}, true)) return groups;
  }
  std::vector<fs::path> bases;
  for (const char* controller : {"memory", "pids"}) {
    const fs::path mount = mount_of(controller);
    if (mount.empty()) return nullptr;
    const fs::path own = (mount / own_path(controller)).lexically_normal();
    // In a container the path may be the host's, of which the mount shows only the end.
    bases.push_back(fs::exists(own / kProcesses) ? own : mount);
    if (!is_writable(bases.back())) return nullptr;
  }
  return checked(std::move(bases), false);
}

ControlGroups::~ControlGroups() { idle_.clear(); }

Result<std::unique_ptr<ControlGroup>> ControlGroups::take() {
  const std::lock_guard lock(mutex_);
  // The one that was given back first, since looking at all of them would take longer than making one.
  if (!idle_.empty() && !idle_.front()->counts_processes()) {
    std::unique_ptr<ControlGroup> group = std::move(idle_.front());
    idle_.pop_front();
    return group;
  }
  const std::string name = fmt::format("{}{}-{}", kPrefix, ::getpid(), made_++);
  std::vector<fs::path> folders;
  for (const fs::path& base : bases_) {
    folders.push_back(base / name);
    if (::mkdir(folders.back().c_str(), 0755) != 0)
      return Error{
          fmt::format("cannot make {}: {}", folders.back().string(), std::strerror(errno))};
  }
  return std::make_unique<ControlGroup>(std::move(folders), is_unified_);
}

void ControlGroups::give_back(std::unique_ptr<ControlGroup> group) {
  if (!group->empty()) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(group));
}

void ControlGroups::remove_orphans() const {
  for (const fs::path& base : bases_) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(base, ignored)) {
      const pid_t owner = owner_of(entry.path().filename());
      if (owner <= 0 || ::kill(owner, 0) == 0 || errno != ESRCH) continue;
      if (::rmdir(entry.path().c_str()) != 0 && end_stranded(entry.path()))
        remove_when_empty(entry.path());
    }
  }
}

Result<GroupLease> lease_group(const std::shared_ptr<ControlGroups>& groups) {
  if (!groups) return GroupLease();
  Result<std::unique_ptr<ControlGroup>> group = groups->take();
  if (!group) return group.error();
  return GroupLease(groups, std::move(*group));
}

}  // namespace warpgrade
