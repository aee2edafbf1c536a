// SPDX-License-Identifier: MIT
#include "commands/gather_facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/copy_program.h"
#include "base/text.h"
#include "commands/sandbox_choice.h"
#include "observe/tool_command.h"
#include "pipeline/instruments.h"
#include "pipeline/trace_check.h"
#include "pipeline/workspace.h"

namespace warpgrade {
namespace {

/// What a small file of the kernel's holds; empty where there is none.
std::string contents(const fs::path& path) {
  constexpr size_t kMostBytes = 64 << 10;
  const Result<std::string> text = RealFiles().read(path, kMostBytes);
  return text ? std::string(trim(*text)) : "";
}

uintmax_t free_bytes(const fs::path& folder) {
  std::error_code failed;
  const fs::space_info space = fs::space(folder, failed);
  return failed ? 0 : space.available;
}

NeededFile needed(const fs::path& path) {
  return {path.filename().string(), RealFiles().exists(path)};
}

/// The runtime library of a toolkit's programs, "libcudart.so.12": other toolkits' are needed by `run` alone.
NeededFile needed_library(const fs::path& library, const std::string& toolkit_version) {
  NeededFile file = needed(library);
  const std::string major =
      library.filename().string().substr(std::string("libcudart.so.").size(), 2);
  if (!toolkit_version.empty() && toolkit_version.find("cuda_" + major) == std::string::npos)
    file.only_for = "programs of CUDA " + major;
  return file;
}

NeededFile needed_program(const fs::path& path) {
  NeededFile program = needed(path);
  program.may_run = ::access(path.c_str(), X_OK) == 0;
  return program;
}

/// A program's path; empty where the folders of `search_path` do not have it.
fs::path locate(const std::string& name, const std::string& search_path) {
  std::error_code missing;
  for (const std::string& folder : split(search_path, ':')) {
    if (!folder.empty() && fs::exists(fs::path(folder) / name, missing))
      return fs::path(folder) / name;
  }
  return {};
}

ProcessOutcome run(const Sandbox& sandbox, std::vector<std::string> argv,
                   const std::vector<fs::path>& readable = {}) {
  Command command;
  command.argv = std::move(argv);
  command.environment = {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}, {"HOME", "/tmp"}};
  command.readable = readable;
  return sandbox.run(command);
}

void ask_toolkit(const FactPlaces& places, const Sandbox& trusted, const Sandbox& sandbox,
                 MachineFacts& facts) {
  const Result<Toolchain> toolchain = find_toolchain(trusted, places.cuda_home, places.search_path);
  facts.has_gxx = RealFiles().exists("/usr/bin/g++");
  if (!toolchain) {
    facts.toolkit_error = toolchain.error().message;
    return;
  }
  facts.toolkit = toolchain->root.string();
  facts.toolkit_version = toolchain->version;
  facts.sandbox_runs_nvcc =
      run(sandbox, {toolchain->nvcc().string(), "--version"}, toolchain->readable()).succeeded();
}

/// The sandbox of this machine; limits alone where none works.
LocalSandbox ask_sandbox(const fs::path& supervisor, MachineFacts& facts) {
  facts.has_bubblewrap = has_bubblewrap();
  facts.apparmor_restricts = apparmor_restricts_namespaces();
  const Result<LocalSandbox> found = open_sandbox(supervisor);
  facts.sandbox_works = found.ok();
  if (!found) facts.sandbox_error = trim(found.error().message);
  const LocalSandbox sandbox = found ? *found : open_limits();
  facts.sandbox_limits = sandbox.limits();
  return sandbox;
}

/// By ninja, which knows; an installed engine needs none.
BuildState build_state(const Sandbox& trusted, const FactPlaces& places) {
  const fs::path& build = places.paths.engine.build;
  if (build.empty()) return BuildState::kUpToDate;
  const fs::path ninja = locate("ninja", places.search_path);
  if (ninja.empty()) return BuildState::kNotKnown;
  const ProcessOutcome outcome =
      run(trusted, {ninja.string(), "-C", build.string(), "-n", "grading"});
  if (!outcome.succeeded()) return BuildState::kNotKnown;
  return outcome.out.find("no work to do") != std::string::npos ? BuildState::kUpToDate
                                                                : BuildState::kStale;
}

void ask_build(const FactPlaces& places, const Sandbox& trusted, MachineFacts& facts) {
  facts.assignments = places.slugs.size();
  for (const fs::path& library : places.paths.engine.device_libraries)
    facts.built.push_back(needed_library(library, facts.toolkit_version));
  const Engine& engine = places.paths.engine;
  facts.engine = (engine.build.empty() ? engine.portable : engine.build).string();
  for (const fs::path& program : {engine.device_program, engine.supervisor})
    facts.built.push_back(needed_program(program));
  NeededFile unpacker = needed_program(engine.unpacker);
  unpacker.only_for = "archives";
  // A handout's engine tests one student's file and opens no archives.
  if (unpacker.found || !engine.build.empty()) facts.built.push_back(unpacker);
  // A handout's engine has its oracles compiled.
  bool has_all = true;
  for (const std::string& slug : places.slugs) {
    const NeededFile oracle = needed_program(engine.assignments / ("oracle-" + slug));
    has_all = has_all && oracle.found;
    if (oracle.found) facts.built.push_back(oracle);
  }
  if (!has_all) facts.built.push_back(needed(engine.oracle_library));
  facts.build = build_state(trusted, places);
}

/// Whether the users that graded programs run as may read and write the node.
bool is_usable(const Sandbox& sandbox, const fs::path& node) {
  const std::string path = node.string();
  Command command;
  command.argv = {"/usr/bin/test", "-r", path, "-a", "-w", path};
  command.devices = {node};
  return sandbox.run(command).succeeded();
}

void ask_nodes(const Sandbox& sandbox, MachineFacts& facts) {
  std::vector<fs::path> paths = {"/dev/nvidiactl", "/dev/nvidia-uvm"};
  for (const Gpu& gpu : facts.machine.gpus)
    paths.push_back(fmt::format("/dev/nvidia{}", gpu.minor_number));
  for (const fs::path& path : paths) {
    const bool found = RealFiles().exists(path);
    facts.nodes.push_back({path, found, found && is_usable(sandbox, path)});
  }
}

/// By gpu-probe, in a place where any user may read it: whether each computes, and whether what one does
/// is seen.
void ask_gpus_to_compute(const FactPlaces& places, const Sandbox& sandbox, const fs::path& probe,
                         MachineFacts& facts) {
  const bool in_reach = std::all_of(facts.nodes.begin(), facts.nodes.end(),
                                    [](const NodeFact& node) { return node.usable; });
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!in_reach || !workspace) return;
  GpuTools tools;
  tools.driver_folders = facts.machine.driver_folders;
  tools.probe = (*workspace)->folder() / "gpu-probe";
  if (!copy_program(probe, tools.probe)) return;
  for (const Gpu& gpu : facts.machine.gpus)
    facts.gpu_trouble[gpu.uuid] = gpu_trouble(sandbox, tools, gpu);
  const Result<GpuTools> all =
      find_gpu_tools(facts.toolkit, places.paths.engine.tracer, places.paths.engine.probe,
                     facts.machine.driver_folders);
  const Result<GpuTools> copied = all ? copy_tools(*all, (*workspace)->folder() / "gpu") : all;
  const auto works =
      std::find_if(facts.machine.gpus.begin(), facts.machine.gpus.end(),
                   [&](const Gpu& gpu) { return facts.gpu_trouble.at(gpu.uuid).empty(); });
  if (copied && works != facts.machine.gpus.end())
    facts.tracing_trouble =
        tracing_trouble(sandbox, *copied, *works, (*workspace)->folder() / "log");
}

bool has_sys_admin() {
  constexpr unsigned long long kSysAdmin = 1ull << 21;
  for (const std::string& line : split(contents("/proc/self/status"), '\n')) {
    if (line.starts_with("CapEff:"))
      return (std::strtoull(line.c_str() + line.find('\t'), nullptr, 16) & kSysAdmin) != 0;
  }
  return false;
}

std::optional<bool> counters_for_admins_only() {
  constexpr std::string_view kKey = "RmProfilingAdminOnly:";
  for (const std::string& line : split(contents("/proc/driver/nvidia/params"), '\n')) {
    if (line.starts_with(kKey)) return trim(line.substr(kKey.size())) != "0";
  }
  return std::nullopt;
}

/// Where graded programs run: what is there for us alone is no help.
ToolFact ask_tool(const Sandbox& sandbox, const std::string& name, const fs::path& tool) {
  if (tool.empty()) return {name, ""};
  const fs::path folder = tool_folder(tool);
  const ProcessOutcome outcome = run(sandbox, {tool.string(), "--version"}, {folder});
  if (!outcome.succeeded()) {
    const std::string said = last_said(outcome.error + outcome.out + outcome.err);
    return {name, "", said.empty() ? "it said nothing" : said, folder};
  }
  for (const std::string& line : split(outcome.out, '\n')) {
    if (line.find("ersion") != std::string::npos) return {name, std::string(trim(line))};
  }
  return {name, tool.string()};
}

void ask_gpus(const FactPlaces& places, const Sandbox& trusted, const Sandbox& sandbox,
              MachineFacts& facts) {
  const fs::path& probe = places.paths.engine.probe;
  facts.machine = find_gpus(trusted, probe);
  if (facts.machine.gpus.empty()) return;
  facts.has_cupti = !find_cupti(facts.toolkit).empty();
  facts.built_for_gpu = {needed(places.paths.engine.tracer), needed(probe)};
  ask_nodes(sandbox, facts);
  ask_gpus_to_compute(places, sandbox, probe, facts);
  facts.counters_for_admins_only = counters_for_admins_only();
  facts.is_admin = ::geteuid() == 0 || has_sys_admin();
  const Instruments tools = find_instruments(facts.toolkit, places.search_path);
  facts.tools = {ask_tool(sandbox, "ncu", tools.ncu),
                 ask_tool(sandbox, "compute-sanitizer", tools.sanitizer)};
}

}  // namespace

MachineFacts gather_facts(const FactPlaces& places) {
  MachineFacts facts;
  const LocalSandbox trusted(SandboxBackend::kNone);
  const LocalSandbox sandbox = ask_sandbox(places.paths.engine.supervisor, facts);
  std::error_code ignored;
  ask_toolkit(places, trusted, sandbox, facts);
  ask_build(places, trusted, facts);
  facts.shared_memory_bytes = free_bytes("/dev/shm");
  facts.temporary_bytes = free_bytes(fs::temp_directory_path(ignored));
  facts.results_bytes = free_bytes(fs::current_path(ignored));
  ask_gpus(places, trusted, sandbox, facts);
  return facts;
}

}  // namespace warpgrade
