// SPDX-License-Identifier: MIT
#include "run/emulated_runner.h"

#include "base/text.h"
#include "run/program_files.h"

namespace warpgrade {
namespace {

/// All runs of one program share its view, so that they can share a room.
class EmulatedRuns final : public ProgramRuns {
 public:
  EmulatedRuns(const Sandbox& sandbox, const fs::path& device_library, const fs::path& ptxas,
               const ProgramPlace& place)
      : device_library_(device_library),
        ptxas_(ptxas),
        files_(sandbox, place),
        room_(sandbox.open(view())) {}

  RunResult run(const RunStep& step, const fs::path& inputs) override;

 private:
  Command view() const;
  Command command_for(const RunStep& step) const;

  const fs::path& device_library_;
  const fs::path& ptxas_;
  ProgramFiles files_;
  std::unique_ptr<Room> room_;
};

Command EmulatedRuns::view() const {
  Command command = files_.view();
  command.readable.push_back(device_library_.parent_path());
  command.readable.push_back(ptxas_);
  return command;
}

Command EmulatedRuns::command_for(const RunStep& step) const {
  Command command = files_.command(view(), step);
  const std::string library = device_library_.string();
  command.environment.merge(std::map<std::string, std::string>{
      {"LD_LIBRARY_PATH", device_library_.parent_path().string()},
      {"NVTX_INJECTION64_PATH", library},
      {"WARPGRADE_DEVICES", join(step.devices, ",")},
      {"WARPGRADE_PTXAS", step.timed ? ptxas_.string() : "none"},
      {"WARPGRADE_CHECK", "all,padding"},
      {"WARPGRADE_DETERMINISTIC", "1"},
      {"WARPGRADE_INSTRUCTION_LIMIT", std::to_string(step.limits.launch_instructions)},
      {"WARPGRADE_QUIET", "1"}});
  return command;
}

RunResult EmulatedRuns::run(const RunStep& step, const fs::path& inputs) {
  RunResult result;
  if (Status ready = files_.lay_out(step, inputs); !ready) {
    result.process.error = ready.error().message;
    return result;
  }
  result.process = room_->run(command_for(step));
  if (result.process.ending != Ending::kSystemError) files_.collect(step, result);
  return result;
}

}  // namespace

std::unique_ptr<ProgramRuns> EmulatedRunner::open(const ProgramPlace& place) const {
  return std::make_unique<EmulatedRuns>(sandbox_, device_library_, ptxas_, place);
}

}  // namespace warpgrade
