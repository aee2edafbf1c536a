// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "run/run_folder.h"
#include "run/runner.h"
#include "sandbox/descriptor.h"

namespace warpgrade {

/// What the emulated device is made of: the libcudart that programs load, the device's program, and the
/// ptxas that tells its time model what a kernel takes of a multiprocessor.
struct DeviceParts {
  fs::path library;
  fs::path program;
  fs::path ptxas;
  bool shares_cores = false;  ///< with as many programs as there are cores, or more
  uint64_t sample_key = 0;    ///< secret; decides which blocks the time model looks at
};

/// What the device does otherwise. Two folders of a case's inputs: where a program uploads what lies in one, the device holds what
/// lies in the other. Empty: it holds what is uploaded.
struct OtherInputs {
  fs::path given = {}, held = {};
  bool elements_may_move = false;  ///< to another order, before they are uploaded
  std::string withheld = {};       ///< what a range's kernels do without: "shared_memory:range"
};

/// The emulated device for the runs of one program: a process in a sandbox room of its own, under another user
/// than the program's, which serves one run after another while these want the same settings of it. The program
/// reaches its socket and nothing else of it.
///
/// Theory of operation: a sandbox ends a room with the thread that opened it, so one thread lives as long as
/// this object, opens the room and runs the device in it, while the caller's thread runs the program. The device
/// forks a process for each program that connects, and says on its control socket when these have ended.
class DeviceProcess {
 public:
  DeviceProcess(const Sandbox& sandbox, const DeviceParts& parts, const ProgramPlace& place,
                OtherInputs inputs = {});
  ~DeviceProcess();
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;

  /// Makes the folders ready for a run. True where the program's view of them is another one than before.
  Result<bool> lay_out(const RunStep& step);
  /// Starts the device for a run where it does not run yet; lay_out() came before.
  void start(const RunStep& step);
  /// The run is over: what served it ends. How it ended.
  ProcessOutcome finish_run();
  /// What the program's own command shares with the device.
  const std::shared_ptr<Patience>& patience() const { return patience_; }

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
  bool is_running();
  bool connect();
  ProcessOutcome wait_for_end();
  fs::path control() const { return record_.path() / "control"; }

  const Sandbox& sandbox_;
  const DeviceParts& parts_;
  const int slot_;
  const OtherInputs inputs_;
  RunFolder door_, record_;
  const std::shared_ptr<Patience> patience_ = std::make_shared<Patience>();
  bool renewed_ = false;
  Command started_;     ///< what the device was started with last
  Descriptor control_;  ///< the connection to it

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Command> to_run_;
  std::optional<ProcessOutcome> outcome_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace warpgrade
