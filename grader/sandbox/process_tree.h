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

/// Processor time of a thread in ms: had, and stood ready for without having it. A machine with too
/// much to do makes programs slow by the second (Linux, Documentation/scheduler/sched-stats.rst).
struct ProcessorTime {
  long ran_ms = 0, waited_ms = 0;
};

/// Notes the processor time of each thread of the tree. Threads that have ended keep what `times` knows.
void note_processor_times(pid_t process, std::map<pid_t, ProcessorTime>& times);

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
