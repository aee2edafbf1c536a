// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warpgrade {

namespace fs = std::filesystem;

/// What one command may use. All of its processes together, except where it says "each".
struct ProcessLimits {
  long wall_ms = 10'000;
  long cpu_s = 20;                           ///< each process, all its threads
  size_t memory_bytes = size_t{2048} << 20;  ///< each process's data, and the memory that all hold
  size_t file_bytes = size_t{64} << 20;      ///< each file written
  size_t output_bytes = size_t{64} << 10;    ///< standard output and error together
  size_t folder_bytes = size_t{1} << 30;     ///< all files in the writable folders
  int processes = 64;                        ///< processes and threads

  bool operator==(const ProcessLimits&) const = default;
};

/// How long commands that wait for each other have had a processor, and waited for one, together.
struct Patience {
  std::atomic<long> ran_ms{0}, waited_ms{0};
};

/// One command to run. It sees the system's /usr, `readable`, `writable` and `devices`, each at its
/// own path, and nothing else.
struct Command {
  std::vector<std::string> argv;  ///< argv[0] is an absolute path
  std::map<std::string, std::string> environment;
  std::vector<fs::path> readable;
  std::vector<fs::path> writable;
  std::vector<fs::path> devices;  ///< nodes such as /dev/nvidia0, to read and write
  fs::path folder = "/";
  ProcessLimits limits;
  int slot = 0;  ///< commands that run at the same time have different slots
  /// It may talk to its own processes by TCP, where the sandbox has a network of its own.
  bool loopback = false;
  /// What it shares with the commands that it waits for; null where it waits for none.
  std::shared_ptr<Patience> patience{};

  bool operator==(const Command&) const = default;
};

enum class Ending {
  kExited,
  kSignalled,
  kTimedOut,
  kMemoryExceeded,
  kOutputExceeded,
  kSystemError
};

/// How a command ended. kOutputExceeded: it printed too much, or wrote too large a file or too many
/// files. kSystemError is ours, never the command's: `error` says why and nothing else means
/// anything.
struct ProcessOutcome {
  Ending ending = Ending::kSystemError;
  int code = 0;  ///< exit code of kExited, signal of kSignalled
  long wall_ms = 0;
  size_t max_rss_bytes = 0;
  std::string out;  ///< head and tail where it was too long to keep
  std::string err;
  std::string error;
  bool disk_was_full = false;   ///< at some moment, below a writable folder
  bool memory_ran_out = false;  ///< the kernel killed some process of the machine to have memory
  bool group_ran_out = false;  ///< it killed a process of the command at the limit on memory of all

  bool succeeded() const { return ending == Ending::kExited && code == 0; }
};

/// Runs untrusted commands one after another. Each is a fresh process that finds nothing of those
/// before it but what they left in the writable folders. For one thread.
class Room {
 public:
  virtual ~Room() = default;
  /// What `command` may read and write, its devices, its slot and its loopback, are those that the room was
  /// opened with.
  virtual ProcessOutcome run(const Command& command) = 0;
};

/// Runs untrusted commands. Implementations may be used from many threads at once.
class Sandbox {
 public:
  virtual ~Sandbox() = default;
  virtual ProcessOutcome run(const Command& command) const = 0;

  /// A room for commands that see what `view` sees, cheaper for many than run() for each. The
  /// sandbox must outlive it.
  virtual std::unique_ptr<Room> open(const Command& view) const;

  /// Gives a file or folder of ours to the user that commands of `slot` run as, so that they can
  /// write it.
  virtual bool hand_over(const fs::path& path, int slot) const = 0;

  /// The backend's name, recorded with every result: "bubblewrap" or "rlimits".
  virtual std::string name() const = 0;

  /// What holds all processes of a command to their limits together, recorded too: "cgroup2", "cgroup1", or
  /// "polling", which looks at them every few milliseconds.
  virtual std::string limits() const { return "polling"; }
};

}  // namespace warpgrade
