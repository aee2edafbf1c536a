// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <vector>

#include "sandbox/descriptor.h"

namespace warpgrade {

/// Live children of a process, of all its threads; empty where it is gone.
std::vector<pid_t> children_of(pid_t process);

/// Memory that the process and all its descendants hold: anonymous, shared, and files in memory that are theirs alone
/// (memfd_create's, and those in the /tmp and /dev/shm of their sandbox). Not the pages of other files.
size_t tree_memory_bytes(pid_t process);

/// For how long each thread of the tree stood ready to run and had no processor, in ms; threads that
/// have ended keep what `waited_ms` knows. A machine with too much to do makes programs slow in this way.
void note_waits(pid_t process, std::map<pid_t, long>& waited_ms);

/// The processes of a tree as they were at one moment, to see later whether they have ended. A
/// large tree is seen in part.
class TreeHandles {
 public:
  TreeHandles() = default;
  explicit TreeHandles(pid_t process) { add(process); }

  /// Waits for their end; false where one is still there.
  bool gone_within(int milliseconds) const;

 private:
  void add(pid_t process);

  std::vector<Descriptor> handles_;
};

}  // namespace warpgrade
