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
/// Per launch, in warp instructions: half a second. A 256 x 256 x 256 product takes a third of it.
constexpr const char* kInstructionLimit = "20000000";

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

/// A folder that the program may write and that is empty now.
Status make_writable(const fs::path& folder, const RunRequest& request, const Sandbox& sandbox) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed || !sandbox.hand_over(folder, request.slot))
    return Error{fmt::format("cannot make {}", folder.string())};
  return {};
}

Status lay_out(const RunRequest& request, const Sandbox& sandbox) {
  std::error_code failed;
  fs::remove_all(request.folder, failed);
  fs::create_directories(request.folder, failed);
  fs::create_directory_symlink(request.inputs, request.folder / "in", failed);
  if (failed)
    return Error{fmt::format("cannot make {}: {}", request.folder.string(), failed.message())};
  Status made = make_writable(request.folder / "out", request, sandbox);
  return made ? make_writable(request.folder / "log", request, sandbox) : made;
}

}  // namespace

Command EmulatedRunner::command_for(const RunRequest& request) const {
  Command command;
  command.argv = {request.program.string()};
  command.argv.insert(command.argv.end(), request.step.words.begin(), request.step.words.end());
  const std::string library = device_library_.string();
  command.environment = {{"LD_LIBRARY_PATH", device_library_.parent_path().string()},
                         {"NVTX_INJECTION64_PATH", library},
                         {"WARPGRADE_CASE", request.folder.string()},
                         {"WARPGRADE_DEVICES", join(request.step.devices, ",")},
                         {"WARPGRADE_TRACE", (request.folder / "log" / "trace.jsonl").string()},
                         {"WARPGRADE_CHECK", "all,padding"},
                         {"WARPGRADE_DETERMINISTIC", "1"},
                         {"WARPGRADE_INSTRUCTION_LIMIT", kInstructionLimit},
                         {"WARPGRADE_QUIET", "1"},
                         {"LC_ALL", "C"}};
  command.readable = {request.program, device_library_.parent_path(), request.inputs,
                      request.folder};
  command.writable = {request.folder / "out", request.folder / "log"};
  command.folder = request.folder / "out";
  command.limits = limits_of(request.step.limits);
  command.slot = request.slot;
  return command;
}

RunResult EmulatedRunner::run(const RunRequest& request) const {
  RunResult result;
  if (Status ready = lay_out(request, sandbox_); !ready) {
    result.process.error = ready.error().message;
    return result;
  }
  result.process = sandbox_.run(command_for(request));
  if (result.process.ending == Ending::kSystemError) return result;
  read_outputs(request.folder / "out", result);
  // No trace is the trace of a program that never came to the device.
  const fs::path trace = request.folder / "log" / "trace.jsonl";
  std::error_code missing;
  result.endless_calls = fs::file_size(trace, missing) > kLargestTraceBytes && !missing;
  if (const Result<std::string> text = read_untrusted(trace, kLargestTraceBytes))
    result.trace = *text;
  return result;
}

}  // namespace warpgrade
