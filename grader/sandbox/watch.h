// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <vector>

#include "sandbox/awake_clock.h"
#include "sandbox/capture.h"
#include "sandbox/control_group.h"
#include "sandbox/disk_use.h"
#include "sandbox/process_tree.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// One running command, as seen from outside.
struct Watched {
  pid_t process = -1;      ///< its tree's memory is what counts
  int ended = -1;          ///< readable once the command is over
  int stop_signal = 0;     ///< makes `process` end it
  bool is_leader = false;  ///< of a process group that gets the signal as a whole
  int out = -1, err = -1;
  std::vector<fs::path> writable;       ///< folders whose files count
  const ControlGroup* group = nullptr;  ///< null where the command has none
  std::shared_ptr<Patience> patience{};
};

/// Waits for one command and holds it to those limits that the kernel does not: wall clock, bytes of
/// output and of all files, resident memory of the whole tree. Where the machine is so
/// busy that the command waits for a processor a quarter of the time, it may take up to ten times as long; if it has had less
/// of a processor than its limit even then, that is a system error. Time in which the whole machine stood still does not count.
class Watch {
 public:
  Watch(const ProcessLimits& limits, const Watched& watched);

  /// Returns once the command is over. `ending` is kExited where it was not stopped, kSystemError where
  /// it was and a process of it did not end; code, error and the kernel's own count of memory are for
  /// the caller to add.
  ProcessOutcome wait();

 private:
  using SteadyClock = std::chrono::steady_clock;
  struct Stream {
    int fd = -1;
    Capture capture;
  };

  bool open_streams() const { return streams_[0].fd >= 0 || streams_[1].fd >= 0; }
  void poll_once();
  static void drain(Stream& stream);
  void enforce();
  Ending breach();
  Ending look();
  bool wrote_too_much();
  size_t memory_bytes() const;
  void stop(Ending why);
  Ending out_of_time();
  ProcessorTime note_times();

  const ProcessLimits& limits_;
  Watched watched_;
  long pause_ms_;  ///< until the next look
  Stream streams_[2];
  SteadyClock::time_point started_ = SteadyClock::now();
  AwakeClock clock_;
  long looked_ms_ = 0, noted_ms_ = 0, stopped_ms_ = 0, ended_ms_ = 0;  ///< by clock_
  bool over_ = false;
  Ending stopped_for_ = Ending::kExited;
  TreeHandles stopped_;
  size_t peak_bytes_ = 0;
  std::map<pid_t, ThreadTime> times_;  ///< by thread
  ProcessorTime shared_;               ///< of that, what its Patience has
  ProcessorTime before_;               ///< what its Patience had at the start
  bool disk_was_full_ = false;
  size_t written_bytes_ = 0;  ///< at the last look, in the writable folders
  size_t group_bytes_before_ = 0;
  long group_kills_before_ = 0;
  long kills_before_ = 0;
};

}  // namespace warpgrade
