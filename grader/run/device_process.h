// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "run/run_folder.h"
#include "run/runner.h"

namespace warpgrade {

/// What the emulated device is made of: the libcudart that programs load, the device's program, and the
/// ptxas that tells its time model what a kernel takes of a multiprocessor.
struct DeviceParts {
  fs::path library;
  fs::path program;
  fs::path ptxas;
};

/// The emulated device for the runs of one program: a process in a sandbox room of its own, under another user
/// than the program's, started anew for each run. The program reaches its socket and nothing else of it.
///
/// Theory of operation: a sandbox ends a room with the thread that opened it, so one thread lives as long as
/// this object, opens the room and runs the device in it, while the caller's thread runs the program.
class DeviceProcess {
 public:
  DeviceProcess(const Sandbox& sandbox, const DeviceParts& parts, const ProgramPlace& place);
  ~DeviceProcess();
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;

  /// Makes the folders as new. True where the program's view of them is another one than before.
  Result<bool> lay_out();
  /// Starts the device for a run; lay_out() came before.
  void start(const RunStep& step, std::shared_ptr<Patience> patience);
  /// The run is over: the device ends. How it ended.
  ProcessOutcome finish();

  /// What the program needs to see: the folder with the socket, the socket itself.
  const fs::path& door() const { return door_.path(); }
  fs::path socket() const { return door() / "device"; }
  /// What the device recorded. The program cannot see it.
  fs::path trace() const { return record_.path() / "trace.jsonl"; }
  const fs::path& record() const { return record_.path(); }

 private:
  Command view() const;
  Command command_for(const RunStep& step) const;
  void work();
  void wake() const;
  /// The file that ends the device; the program cannot see it.
  fs::path end_mark() const { return record_.path() / "end"; }

  const Sandbox& sandbox_;
  const DeviceParts& parts_;
  const int slot_;
  RunFolder door_, record_;
  bool renewed_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Command> to_run_;
  std::optional<ProcessOutcome> outcome_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace warpgrade
