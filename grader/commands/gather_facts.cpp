// SPDX-License-Identifier: MIT
#include "commands/gather_facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "pipeline/workspace.h"
#include "run/gpu/gpu_runner.h"

namespace warpgrade {
namespace {

constexpr const char* kSupervisor = "grader/sandbox/room-supervisor";

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
      run(sandbox, {toolchain->nvcc().string(), "--version"}, {toolchain->root}).succeeded();
}

void ask_sandbox(const fs::path& supervisor, MachineFacts& facts) {
  facts.has_bubblewrap = RealFiles().exists("/usr/bin/bwrap");
  facts.apparmor_restricts =
      contents("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1";
  const ProcessOutcome outcome =
      run(LocalSandbox(SandboxBackend::kBubblewrap, supervisor), {"/usr/bin/true"});
  facts.sandbox_works = outcome.succeeded();
  facts.sandbox_error = trim(outcome.error);
}

/// By ninja, which knows; a packed installation has none.
BuildState build_state(const Sandbox& trusted, const FactPlaces& places) {
  const fs::path ninja = locate("ninja", places.search_path);
  if (ninja.empty()) return BuildState::kNotKnown;
  const ProcessOutcome outcome =
      run(trusted, {ninja.string(), "-C", places.build.string(), "-n", "grading"});
  if (!outcome.succeeded()) return BuildState::kNotKnown;
  return outcome.out.find("no work to do") != std::string::npos ? BuildState::kUpToDate
                                                                : BuildState::kStale;
}

void ask_build(const FactPlaces& places, const Sandbox& trusted, MachineFacts& facts) {
  facts.assignments = places.slugs.size();
  facts.built = {needed(places.paths.device_library), needed(places.build / kSupervisor)};
  for (const std::string& slug : places.slugs)
    facts.built.push_back(needed(places.paths.oracle(slug)));
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

/// By gpu-probe, in a place where any user may read it.
void ask_gpus_to_compute(const Sandbox& sandbox, const fs::path& probe, MachineFacts& facts) {
  const bool in_reach = std::all_of(facts.nodes.begin(), facts.nodes.end(),
                                    [](const NodeFact& node) { return node.usable; });
  const Result<std::unique_ptr<Workspace>> workspace = Workspace::make();
  if (!in_reach || !workspace) return;
  GpuTools tools;
  tools.driver_folders = facts.machine.driver_folders;
  tools.probe = (*workspace)->folder() / "gpu-probe";
  std::error_code failed;
  fs::copy_file(probe, tools.probe, failed);
  if (failed) return;
  for (const Gpu& gpu : facts.machine.gpus)
    facts.gpu_trouble[gpu.uuid] = gpu_trouble(sandbox, tools, gpu);
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

ToolFact ask_tool(const Sandbox& trusted, const std::string& name, const FactPlaces& places,
                  const MachineFacts& facts) {
  fs::path path = fs::path(facts.toolkit) / "bin" / name;
  if (facts.toolkit.empty() || !RealFiles().exists(path)) path = locate(name, places.search_path);
  if (path.empty()) return {name, ""};
  const ProcessOutcome outcome = run(trusted, {path.string(), "--version"});
  if (!outcome.succeeded()) return {name, ""};
  for (const std::string& line : split(outcome.out, '\n')) {
    if (line.find("ersion") != std::string::npos) return {name, std::string(trim(line))};
  }
  return {name, path.string()};
}

void ask_gpus(const FactPlaces& places, const Sandbox& trusted, const Sandbox& sandbox,
              MachineFacts& facts) {
  const fs::path probe = places.build / "grader/run/gpu/gpu-probe";
  facts.machine = find_gpus(trusted, probe);
  if (facts.machine.gpus.empty()) return;
  facts.has_cupti = !find_cupti(facts.toolkit).empty();
  facts.built_for_gpu = {needed(places.build / "grader/observe/injection/libwarpgrade-trace.so"),
                         needed(probe)};
  ask_nodes(sandbox, facts);
  ask_gpus_to_compute(sandbox, probe, facts);
  facts.counters_for_admins_only = counters_for_admins_only();
  facts.is_admin = ::geteuid() == 0 || has_sys_admin();
  for (const char* name : {"ncu", "compute-sanitizer"})
    facts.tools.push_back(ask_tool(trusted, name, places, facts));
}

}  // namespace

MachineFacts gather_facts(const FactPlaces& places) {
  MachineFacts facts;
  const LocalSandbox trusted(SandboxBackend::kNone);
  const LocalSandbox sandbox = open_sandbox(places.build / kSupervisor);
  std::error_code ignored;
  ask_sandbox(places.build / kSupervisor, facts);
  ask_toolkit(places, trusted, sandbox, facts);
  ask_build(places, trusted, facts);
  facts.shared_memory_bytes = free_bytes("/dev/shm");
  facts.temporary_bytes = free_bytes(fs::temp_directory_path(ignored));
  facts.results_bytes = free_bytes(fs::current_path(ignored));
  ask_gpus(places, trusted, sandbox, facts);
  return facts;
}

}  // namespace warpgrade
