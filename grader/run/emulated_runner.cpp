// SPDX-License-Identifier: MIT
#include "run/emulated_runner.h"

#include <fmt/format.h>

#include <random>

#include "base/seal.h"
#include "base/text.h"
#include "run/machine_trouble.h"
#include "run/program_files.h"

namespace warpgrade {
namespace {

/// Every line of a trace has a mark; the same number of calls as on a GPU makes it longer.
constexpr FileLimits kSealedFiles{size_t{16} << 20, size_t{128} << 20, size_t{10} << 20};

/// What the device seals the trace of one run with. It takes the key out of the program's reach before the program's
/// own code runs.
std::string fresh_key() {
  std::random_device entropy;
  std::string key;
  for (int i = 0; i < 8; ++i) key += fmt::format("{:08x}", entropy());
  return key;
}

/// Replaces the trace by its lines, or says that it is forged.
void unseal(const std::string& key, RunResult& result) {
  const std::string sealed = std::exchange(result.trace, "");
  if (!sealed.empty() && sealed.back() != '\n' && result.process.succeeded()) {
    result.process.ending = Ending::kSystemError;
    result.process.error = "the record of the run could not be written whole: is the disk full?";
    return;
  }
  Result<std::string> lines = open_sealed(sealed, key);
  if (!lines) result.forged = lines.error().message;
  if (lines) result.trace = std::move(*lines);
}

/// All runs of one program share its view, so that they can share a room.
class EmulatedRuns final : public ProgramRuns {
 public:
  EmulatedRuns(const Sandbox& sandbox, const fs::path& device_library, const fs::path& ptxas,
               const ProgramPlace& place)
      : sandbox_(sandbox),
        device_library_(device_library),
        ptxas_(ptxas),
        files_(sandbox, place, kSealedFiles) {}

  RunResult run(const RunStep& step, const fs::path& inputs) override;

 private:
  Command view() const;
  Command command_for(const RunStep& step, const std::string& key) const;

  std::string trouble_of(const RunResult& run, const RunStep& step);

  const Sandbox& sandbox_;
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

Command EmulatedRuns::command_for(const RunStep& step, const std::string& key) const {
  Command command = files_.command(view(), step);
  const std::string library = device_library_.string();
  command.environment.merge(std::map<std::string, std::string>{
      {"LD_LIBRARY_PATH", device_library_.parent_path().string()},
      {"NVTX_INJECTION64_PATH", library},
      {"WARPGRADE_DEVICES", join(step.devices, ",")},
      {"WARPGRADE_TRACE_KEY", key},
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
  if (files_.renewed()) room_ = sandbox_.open(view());
  const std::string key = fresh_key();
  result.process = room_->run(command_for(step, key));
  if (result.process.ending == Ending::kSystemError) return result;
  files_.collect(step, result);
  if (const std::string trouble = trouble_of(result, step); !trouble.empty()) {
    result.process.ending = Ending::kSystemError;
    result.process.error = trouble;
    return result;
  }
  unseal(key, result);
  return result;
}

/// What the machine did to the run; empty where it did nothing.
std::string EmulatedRuns::trouble_of(const RunResult& run, const RunStep& step) {
  const std::string disk = disk_trouble(run, files_.log().parent_path());
  return disk.empty() ? loader_trouble(run.process, command_for(step, ""), *room_) : disk;
}

}  // namespace

std::unique_ptr<ProgramRuns> EmulatedRunner::open(const ProgramPlace& place) const {
  return std::make_unique<EmulatedRuns>(sandbox_, device_library_, ptxas_, place);
}

}  // namespace warpgrade
