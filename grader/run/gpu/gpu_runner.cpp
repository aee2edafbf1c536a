// SPDX-License-Identifier: MIT
#include "run/gpu/gpu_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/copy_program.h"
#include "base/first_file.h"
#include "base/text.h"
#include "run/gpu/machine_fault.h"
#include "run/machine_trouble.h"
#include "run/program_files.h"
#include "sandbox/outcome.h"

namespace warpgrade {
namespace {

constexpr FileLimits kGpuFiles{size_t{256} << 20, size_t{2} << 30, size_t{64} << 20};
// The driver's own data.
constexpr size_t kDriverBytes = size_t{64} << 20;
// Repetitions take longer than one run, but mostly start only once.
constexpr int kPatience = 3;
constexpr long kCheckMs = 15'000;

/// Adds what CUDA needs to see of the machine: this GPU, and no other.
void show_gpu(const GpuTools& tools, const Gpu& gpu, Command& command) {
  std::vector<fs::path> folders = tools.driver_folders;
  for (const fs::path& file : {tools.tracer, tools.probe, tools.cupti})
    folders.push_back(file.parent_path());
  folders.push_back(tools.cuda_libraries);
  for (const fs::path& folder : folders) {
    const bool in_sight = folder.empty() || folder.string().starts_with("/usr/");
    if (!in_sight) command.readable.push_back(folder);
  }
  command.devices = {fmt::format("/dev/nvidia{}", gpu.minor_number), "/dev/nvidiactl",
                     "/dev/nvidia-uvm"};
}

std::map<std::string, std::string> gpu_environment(const GpuTools& tools, const Gpu& gpu) {
  std::string libraries = tools.cuda_libraries.string();
  for (const fs::path& folder : tools.driver_folders) libraries += ":" + folder.string();
  return {{"LD_LIBRARY_PATH", libraries},
          {"CUDA_VISIBLE_DEVICES", gpu.uuid},
          {"CUDA_CACHE_DISABLE", "1"}};
}

std::map<std::string, std::string> tracer_environment(const GpuTools& tools,
                                                      const std::string& mode) {
  return {{"CUDA_INJECTION64_PATH", tools.tracer.string()},
          {"NVTX_INJECTION64_PATH", tools.tracer.string()},
          {"WARPGRADE_CUPTI", tools.cupti.string()},
          {"WARPGRADE_TRACE_MODE", mode}};
}

Command check_command(Command view, const GpuTools& tools, const Gpu& gpu) {
  Command command = std::move(view);
  command.argv = {tools.probe.string(), "check"};
  command.environment = gpu_environment(tools, gpu);
  command.limits.wall_ms = kCheckMs;
  return command;
}

/// What a check that ended like this says of its GPU.
std::string trouble_of(const ProcessOutcome& check) {
  if (check.ending == Ending::kTimedOut)
    return fmt::format("it did not answer within {} s", kCheckMs / 1000);
  if (check.succeeded()) return "";
  const std::string said = check.err + check.error;
  return said.empty() ? "gpu-probe check crashed" : std::string(trim(said));
}

/// One program on one GPU.
class GpuRuns final : public ProgramRuns {
 public:
  GpuRuns(const Sandbox& sandbox, const Sandbox& trusted, const GpuTools& tools, const Gpu& gpu,
          const ProgramPlace& place)
      : sandbox_(sandbox),
        trusted_(trusted),
        tools_(tools),
        gpu_(gpu),
        files_(sandbox, place, kGpuFiles),
        room_(sandbox.open(view())) {}

  RunResult run(const RunStep& step, const fs::path& inputs) override;
  std::optional<RunResult> run_together(const std::vector<CaseToRun>& cases) override;
  Result<ToolRun> for_tool(const RunStep& step, const fs::path& inputs) override;
  RunResult left_by_tool(const RunStep& step) override;

 private:
  Command view() const;
  Command command_for(const RunStep& step) const;
  void observe(Command& command, bool timed) const;
  std::string trouble();
  std::vector<GpuProcess> neighbours() const;

  const Sandbox& sandbox_;
  const Sandbox& trusted_;
  const GpuTools& tools_;
  const Gpu& gpu_;
  ProgramFiles files_;
  std::unique_ptr<Room> room_;
};

Command GpuRuns::view() const {
  Command command = files_.view();
  show_gpu(tools_, gpu_, command);
  return command;
}

Command GpuRuns::command_for(const RunStep& step) const {
  Command command = files_.command(view(), step);
  const bool timed = !step.repetitions.empty();
  observe(command, timed);
  if (timed) {
    command.limits.wall_ms *= kPatience;
    command.limits.cpu_s *= kPatience;
  }
  return command;
}

void GpuRuns::observe(Command& command, bool timed) const {
  command.environment.merge(gpu_environment(tools_, gpu_));
  command.environment.merge(tracer_environment(tools_, timed ? "timing" : "trace"));
  command.limits.memory_bytes += kDriverBytes;
}

Result<ToolRun> GpuRuns::for_tool(const RunStep& step, const fs::path& inputs) {
  if (Status ready = files_.lay_out(step, inputs); !ready) return ready.error();
  ToolRun run{command_for(step), files_.log()};
  // Programs do without it.
  const fs::path node = "/dev/nvidia-uvm-tools";
  std::error_code missing;
  if (fs::is_character_file(node, missing)) run.command.devices.push_back(node);
  return run;
}

RunResult GpuRuns::left_by_tool(const RunStep& step) {
  RunResult result;
  files_.collect(step, result);
  return result;
}

RunResult GpuRuns::run(const RunStep& step, const fs::path& inputs) {
  RunResult result;
  if (Status ready = files_.lay_out(step, inputs); !ready) {
    result.process.error = ready.error().message;
    return result;
  }
  if (files_.renewed()) room_ = sandbox_.open(view());
  const Command command = command_for(step);
  result.process = room_->run(command);
  if (result.process.ending == Ending::kSystemError) {
    result.gpu_trouble = trouble();
    return result;
  }
  files_.collect(step, result);
  std::string machine = disk_trouble(result, files_.log().parent_path());
  if (machine.empty()) machine = loader_trouble(result.process, command, *room_);
  if (!machine.empty()) {
    result.process = system_error(machine);
    return result;
  }
  const std::optional<MachineFault> fault = machine_fault(
      result.process, errors_in(result.trace),
      {[this] { return trouble(); }, [this] { return neighbours(); }, gpu_.memory_bytes});
  if (!fault) return result;
  RunResult nothing;
  nothing.process = system_error(fault->message);
  if (fault->gpu_is_lost) nothing.gpu_trouble = fault->message;
  return nothing;
}

/// What goes wrong in it is told by the cases when they run alone.
std::optional<RunResult> GpuRuns::run_together(const std::vector<CaseToRun>& cases) {
  if (cases.empty() || !files_.lay_out(cases)) return std::nullopt;
  if (files_.renewed()) room_ = sandbox_.open(view());
  Command command = files_.command(view(), cases);
  // No longer than one case alone: where one of them never ends, all wait for it.
  observe(command, false);
  RunResult result;
  result.process = room_->run(command);
  if (result.process.ending == Ending::kSystemError) return std::nullopt;
  files_.collect(cases, result);
  return result;
}

/// Asked where the program ran, as its user: so a GPU that only the grader may use is seen.
std::string GpuRuns::trouble() {
  return trouble_of(room_->run(check_command(view(), tools_, gpu_)));
}

std::vector<GpuProcess> GpuRuns::neighbours() const {
  for (const Gpu& gpu : find_gpus(trusted_, tools_.probe).gpus) {
    if (gpu.uuid == gpu_.uuid) return gpu.processes;
  }
  return {};
}

}  // namespace

std::string gpu_trouble(const Sandbox& sandbox, const GpuTools& tools, const Gpu& gpu) {
  Command view;
  show_gpu(tools, gpu, view);
  return trouble_of(sandbox.run(check_command(view, tools, gpu)));
}

Command traced_check(const GpuTools& tools, const Gpu& gpu, const fs::path& log) {
  Command view;
  show_gpu(tools, gpu, view);
  view.writable.push_back(log);
  Command command = check_command(std::move(view), tools, gpu);
  command.environment.merge(tracer_environment(tools, "trace"));
  command.environment["WARPGRADE_TRACE"] = (log / "trace.jsonl").string();
  return command;
}

fs::path find_cupti(const fs::path& toolkit) {
  return first_file({toolkit / "extras/CUPTI/lib64/libcupti.so.13",
                     toolkit / "lib64/libcupti.so.13", toolkit / "lib/libcupti.so.13"});
}

Result<GpuTools> find_gpu_tools(const fs::path& toolkit, const fs::path& tracer,
                                const fs::path& probe,
                                const std::vector<fs::path>& driver_folders) {
  GpuTools tools;
  tools.driver_folders = driver_folders;
  tools.cuda_libraries =
      first_file({toolkit / "lib64/libcudart.so.13", toolkit / "lib/libcudart.so.13"})
          .parent_path();
  tools.cupti = find_cupti(toolkit);
  tools.tracer = first_file({tracer});
  tools.probe = first_file({probe});
  const std::string root = toolkit.string();
  if (tools.cuda_libraries.empty())
    return Error{fmt::format("{} has no libcudart.so.13: install the CUDA Toolkit 13", root)};
  if (tools.cupti.empty())
    return Error{fmt::format(
        "{} has no libcupti.so.13: install the toolkit's CUPTI (package cuda-cupti-13-0)", root)};
  if (tools.tracer.empty()) return Error{"libwarpgrade-trace.so is missing: run `ninja -C build`"};
  if (tools.probe.empty()) return Error{"gpu-probe is missing: run `ninja -C build`"};
  return tools;
}

Result<GpuTools> copy_tools(GpuTools tools, const fs::path& folder) {
  for (fs::path* file : {&tools.tracer, &tools.probe}) {
    const fs::path copy = folder / file->filename();
    if (Status copied = copy_program(*file, copy); !copied) return copied.error();
    *file = copy;
  }
  return tools;
}

std::unique_ptr<ProgramRuns> GpuRunner::open(const ProgramPlace& place) const {
  return std::make_unique<GpuRuns>(sandbox_, trusted_, tools_, gpu_, place);
}

}  // namespace warpgrade
