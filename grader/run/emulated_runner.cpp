// SPDX-License-Identifier: MIT
#include "run/emulated_runner.h"

#include "cudart/wire.h"
#include "run/machine_trouble.h"
#include "run/program_files.h"

namespace warpgrade {
namespace {

/// As the harness and the client end a program that the machine fails.
constexpr int kMachineFailedExit = 98;
/// As the device ends that a mistake in it has ended.
constexpr int kDeviceCrashedExit = 97;
/// As the device ends that has used up the processor time of its program.
constexpr int kDeviceOutOfTimeExit = 24;
/// As the loader ends a program whose libraries it does not find. The device itself never does.
constexpr int kCannotStartExit = 127;
/// The same number of calls on record as on a GPU makes it longer.
constexpr FileLimits kFiles{size_t{16} << 20, size_t{128} << 20, size_t{10} << 20};

/// All runs of one program share its view, so that they can share a room.
class EmulatedRuns final : public ProgramRuns {
 public:
  EmulatedRuns(const Sandbox& sandbox, const DeviceParts& parts, const ProgramPlace& place,
               OtherInputs inputs)
      : sandbox_(sandbox),
        parts_(parts),
        device_(sandbox, parts, place, std::move(inputs)),
        files_(sandbox, place, kFiles, device_.trace()) {}

  RunResult run(const RunStep& step, const fs::path& inputs) override;

 private:
  Command view() const;
  Command command_for(const RunStep& step) const;
  ProcessOutcome run_program(const RunStep& step, const fs::path& inputs);
  void note_device(const ProcessOutcome& device, RunResult& result) const;
  std::string trouble_of(const RunResult& run, const RunStep& step);

  const Sandbox& sandbox_;
  const DeviceParts& parts_;
  DeviceProcess device_;
  ProgramFiles files_;
  std::unique_ptr<Room> room_;
  bool has_new_door_ = false;  ///< since the room was opened
};

Command EmulatedRuns::view() const {
  Command command = files_.view();
  command.readable.push_back(parts_.library.parent_path());
  command.readable.push_back(device_.door());
  return command;
}

Command EmulatedRuns::command_for(const RunStep& step) const {
  Command command = files_.command(view(), step);
  command.environment.erase("WARPGRADE_TRACE");
  command.environment.merge(std::map<std::string, std::string>{
      {"LD_LIBRARY_PATH", parts_.library.parent_path().string()},
      {"NVTX_INJECTION64_PATH", parts_.library.string()},
      {"WARPGRADE_DEVICE", device_.socket().string()},
      {cudart::kWallVariable, std::to_string(command.limits.wall_ms)}});
  if (parts_.shares_cores) command.environment.emplace(cudart::kSharesCoresVariable, "1");
  return command;
}

void fail(RunResult& result, std::string why) {
  result.process.ending = Ending::kSystemError;
  result.process.error = std::move(why);
}

/// What the device's own end says of the run: its limits are the program's, and its failure is ours.
void EmulatedRuns::note_device(const ProcessOutcome& device, RunResult& result) const {
  ProcessOutcome& program = result.process;
  program.max_rss_bytes = std::max(program.max_rss_bytes, device.max_rss_bytes);
  program.disk_was_full = program.disk_was_full || device.disk_was_full;
  const bool out_of_time = device.ending == Ending::kExited && device.code == kDeviceOutOfTimeExit;
  const bool cannot_start = device.ending == Ending::kExited && device.code == kCannotStartExit;
  const bool too_much =
      device.ending == Ending::kMemoryExceeded || device.ending == Ending::kTimedOut || out_of_time;
  if (device.ending == Ending::kSystemError) {
    fail(result, device.error);
  } else if (too_much) {
    program.ending = out_of_time ? Ending::kTimedOut : device.ending;
  } else if (cannot_start || (!device.succeeded() && program.code == kMachineFailedExit)) {
    fail(result, "the emulated device has failed: " + device.err);
    result.device_crashed = device.ending == Ending::kExited && device.code == kDeviceCrashedExit;
  }
}

/// The program's own process.
ProcessOutcome EmulatedRuns::run_program(const RunStep& step, const fs::path& inputs) {
  ProcessOutcome outcome;
  if (Status ready = files_.lay_out(step, inputs); !ready) {
    outcome.error = ready.error().message;
    return outcome;
  }
  if (files_.renewed() || std::exchange(has_new_door_, false)) room_ = sandbox_.open(view());
  Command command = command_for(step);
  command.patience = device_.patience();
  return room_->run(command);
}

RunResult EmulatedRuns::run(const RunStep& step, const fs::path& inputs) {
  RunResult result;
  const Result<bool> renewed = device_.lay_out(step);
  if (!renewed) {
    result.process.error = renewed.error().message;
    return result;
  }
  // The device starts while the program's folders are laid out.
  device_.start(step);
  has_new_door_ = has_new_door_ || *renewed;
  result.process = run_program(step, inputs);
  const ProcessOutcome device = device_.finish_run();
  if (result.process.ending == Ending::kSystemError) return result;
  note_device(device, result);
  if (result.process.ending == Ending::kSystemError) return result;
  files_.collect(step, result);
  if (const std::string trouble = trouble_of(result, step); !trouble.empty()) fail(result, trouble);
  return result;
}

/// What the machine did to the run; empty where it did nothing.
std::string EmulatedRuns::trouble_of(const RunResult& run, const RunStep& step) {
  for (const fs::path& folder : {files_.log().parent_path(), device_.record()}) {
    if (std::string disk = disk_trouble(run, folder); !disk.empty()) return disk;
  }
  const bool torn = !run.trace.empty() && run.trace.back() != '\n' && run.process.succeeded();
  if (torn) return "the record of the run could not be written whole: is the disk full?";
  return loader_trouble(run.process, command_for(step), *room_);
}

}  // namespace

std::unique_ptr<ProgramRuns> EmulatedRunner::open(const ProgramPlace& place) const {
  return open(place, {});
}

std::unique_ptr<ProgramRuns> EmulatedRunner::open(const ProgramPlace& place,
                                                  OtherInputs inputs) const {
  return std::make_unique<EmulatedRuns>(sandbox_, parts_, place, std::move(inputs));
}

}  // namespace warpgrade
