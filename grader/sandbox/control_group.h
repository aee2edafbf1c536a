// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "sandbox/descriptor.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// Processes that the kernel holds to limits as a whole. For one command or room at a time.
class ControlGroup {
 public:
  /// `folders` are the group's own: one of version 2, or one for each controller of version 1.
  ControlGroup(std::vector<fs::path> folders, bool is_unified)
      : folders_(std::move(folders)), is_unified_(is_unified) {}
  /// Kills what is left in the group and removes it.
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  /// Bytes of all memory, files in memory included, and processes and threads.
  Status limit(size_t memory_bytes, int processes);
  /// Files of the kernel: a process that writes "0" to each of them enters the group.
  Result<std::vector<Descriptor>> doors() const;
  /// Memory that cannot be dropped: anonymous, and files in memory whoever has them open.
  size_t held_bytes() const;
  /// How many of its processes the kernel has killed for want of memory so far, the machine's or the group's.
  long kills() const;
  /// Whether the group has come to its limit on memory since that was set.
  bool came_to_limit() const;
  /// Whether processes count against its limit. Ended ones do until their parent waits for them, and that may be the
  /// machine's first process, in its own time.
  bool counts_processes() const;
  /// Ends all of its processes. False where some stay.
  bool empty() const;

 private:
  fs::path memory() const { return folders_.front(); }

  std::vector<fs::path> folders_;
  bool is_unified_;
  size_t ooms_before_ = 0;  ///< when the limits were set
};

/// The control groups that this process may make: below its own in the hierarchy of version 2 where that is delegated
/// to it, else in the hierarchies of version 1. May be used from many threads at once.
class ControlGroups {
 public:
  /// None where the machine permits none. `root` is where the kernel's files lie, for tests.
  static std::shared_ptr<ControlGroups> find();
  ~ControlGroups();
  ControlGroups(const ControlGroups&) = delete;
  ControlGroups& operator=(const ControlGroups&) = delete;

  /// A group that counts no process. Give it back when it is empty again, for a later command.
  Result<std::unique_ptr<ControlGroup>> take();
  void give_back(std::unique_ptr<ControlGroup> group);

  /// "cgroup2" or "cgroup1".
  std::string name() const { return is_unified_ ? "cgroup2" : "cgroup1"; }

 private:
  ControlGroups(std::vector<fs::path> bases, bool is_unified)
      : bases_(std::move(bases)), is_unified_(is_unified) {}
  static std::shared_ptr<ControlGroups> checked(std::vector<fs::path> bases, bool is_unified);
  void remove_orphans() const;

  std::vector<fs::path> bases_;
  bool is_unified_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<ControlGroup>> idle_;
  int made_ = 0;
};

/// A group in use; it goes back where it came from.
class GroupLease {
 public:
  GroupLease() = default;
  GroupLease(std::shared_ptr<ControlGroups> groups, std::unique_ptr<ControlGroup> group)
      : groups_(std::move(groups)), group_(std::move(group)) {}
  ~GroupLease() { reset(); }
  GroupLease(GroupLease&&) = default;
  GroupLease& operator=(GroupLease&& other) {
    reset();
    groups_ = std::move(other.groups_);
    group_ = std::move(other.group_);
    return *this;
  }
  /// None where the machine permits no groups.
  ControlGroup* get() const { return group_.get(); }
  void reset() {
    if (group_) groups_->give_back(std::move(group_));
  }

 private:
  std::shared_ptr<ControlGroups> groups_;
  std::unique_ptr<ControlGroup> group_;
};

/// A group of `groups`, which may be null: then it holds none.
Result<GroupLease> lease_group(const std::shared_ptr<ControlGroups>& groups);

}  // namespace warpgrade
