// SPDX-License-Identifier: MIT
#include "run/emulated_runner.h"

#include <fmt/format.h>

#include "base/text.h"
#include "run/outputs.h"
#include "sandbox/untrusted_file.h"

namespace warpgrade {
namespace {

constexpr size_t kLargestFileBytes = size_t{16} << 20;
constexpr size_t kLargestTraceBytes = size_t{8} << 20;

ProcessLimits limits_of(const Limits& limits) {
  ProcessLimits found;
  found.wall_ms = limits.wall_s * 1000L;
  found.cpu_s = 2 * limits.wall_s;
  found.memory_bytes = static_cast<size_t>(limits.memory_mb) << 20;
  found.file_bytes = kLargestFileBytes;
  found.output_bytes = static_cast<size_t>(limits.output_kb) << 10;
  found.processes = limits.processes;
  return found;
}

/// Lets the owner into every folder below. Where we are that owner, a program may have closed them to us.
void open_up(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (!fs::is_directory(entry.symlink_status(ignored))) continue;
    fs::permissions(entry, fs::perms::owner_all, fs::perm_options::add, ignored);
    open_up(entry);
  }
}

/// Removes all that lies in a folder whose contents are not ours.
Status empty(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    fs::remove_all(entry->path(), failed);
    if (!failed) continue;
    open_up(folder);
    fs::remove_all(entry->path(), failed);
    if (failed) break;
  }
  return failed ? Error{fmt::format("cannot empty {}: {}", folder.string(), failed.message())}
                : Status();
}

/// What a run can see and where it ends up. All runs of one program share it, so that they can share a room.
class EmulatedRuns final : public ProgramRuns {
 public:
  EmulatedRuns(const Sandbox& sandbox, const fs::path& device_library, const fs::path& ptxas,
               ProgramPlace place)
      : sandbox_(sandbox),
        device_library_(device_library),
        ptxas_(ptxas),
        place_(std::move(place)),
        room_(sandbox.open(view())) {}

  RunResult run(const RunStep& step, const fs::path& inputs) override;

 private:
  Command view() const;
  Command command_for(const RunStep& step) const;
  Status lay_out(const fs::path& inputs) const;
  fs::path in() const { return place_.folder / "in"; }
  fs::path out() const { return place_.folder / "out"; }
  fs::path log() const { return place_.folder / "log"; }
  fs::path trace() const { return log() / "trace.jsonl"; }

  const Sandbox& sandbox_;
  const fs::path& device_library_;
  const fs::path& ptxas_;
  ProgramPlace place_;
  std::unique_ptr<Room> room_;
};

Command EmulatedRuns::view() const {
  Command command;
  command.readable = {place_.program, device_library_.parent_path(), place_.folder, ptxas_};
  command.writable = {out(), log()};
  command.slot = place_.slot;
  return command;
}

Command EmulatedRuns::command_for(const RunStep& step) const {
  Command command = view();
  command.argv = {place_.program.string()};
  command.argv.insert(command.argv.end(), step.words.begin(), step.words.end());
  const std::string library = device_library_.string();
  command.environment = {
      {"LD_LIBRARY_PATH", device_library_.parent_path().string()},
      {"NVTX_INJECTION64_PATH", library},
      {"WARPGRADE_CASE", place_.folder.string()},
      {"WARPGRADE_DEVICES", join(step.devices, ",")},
      {"WARPGRADE_PTXAS", step.timed ? ptxas_.string() : "none"},
      {"WARPGRADE_TRACE", trace().string()},
      {"WARPGRADE_CHECK", "all,padding"},
      {"WARPGRADE_DETERMINISTIC", "1"},
      {"WARPGRADE_INSTRUCTION_LIMIT", std::to_string(step.limits.launch_instructions)},
      {"WARPGRADE_QUIET", "1"},
      {"LC_ALL", "C"}};
  command.folder = out();
  command.limits = limits_of(step.limits);
  return command;
}

/// The folders themselves stay: the room has them in its view. Inputs are copied, so that the view holds no other case's.
Status EmulatedRuns::lay_out(const fs::path& inputs) const {
  std::error_code failed;
  for (const fs::path& folder : {in(), out(), log()}) {
    const bool made = fs::create_directories(folder, failed);
    const bool ours = folder == in();
    if (failed || (made && !ours && !sandbox_.hand_over(folder, place_.slot)))
      return Error{fmt::format("cannot make {}", folder.string())};
    if (Status emptied = empty(folder); !emptied) return emptied;
  }
  fs::copy(inputs, in(), failed);
  return failed ? Error{fmt::format("cannot copy {}: {}", inputs.string(), failed.message())}
                : Status();
}

RunResult EmulatedRuns::run(const RunStep& step, const fs::path& inputs) {
  RunResult result;
  if (Status ready = lay_out(inputs); !ready) {
    result.process.error = ready.error().message;
    return result;
  }
  result.process = room_->run(command_for(step));
  if (result.process.ending == Ending::kSystemError) return result;
  read_outputs(out(), result);
  // No trace is the trace of a program that never came to the device.
  std::error_code missing;
  result.endless_calls = fs::file_size(trace(), missing) > kLargestTraceBytes && !missing;
  if (const Result<std::string> text = read_untrusted(trace(), kLargestTraceBytes))
    result.trace = *text;
  return result;
}

}  // namespace

std::unique_ptr<ProgramRuns> EmulatedRunner::open(const ProgramPlace& place) const {
  return std::make_unique<EmulatedRuns>(sandbox_, device_library_, ptxas_, place);
}

}  // namespace warpgrade
