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

/// What one thread has had of the processor, by all looks at it so far.
struct ThreadTime {
  long long ran_ns = 0, waited_ns = 0;  ///< as the kernel counts them: a wait once it is over
  long waits_ms = 0;  ///< for a processor, at the last look and since an earlier one

  ProcessorTime total() const;
};

/// Notes the processor time of each thread of the tree, `since_ms` after the last look. Threads that have ended keep what
/// `times` knows.
void note_processor_times(pid_t process, long since_ms, std::map<pid_t, ThreadTime>& times);

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
