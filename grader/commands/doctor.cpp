// SPDX-License-Identifier: MIT
#include "commands/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "build/toolchain.h"
#include "commands/sandbox_choice.h"

namespace warpgrade {
namespace {

constexpr uintmax_t kGigabyteBytes = uintmax_t{1} << 30;
constexpr int kOldestCudaMajor = 11, kCudaMajor = 13;
constexpr const char* kBuildRemedy = "ninja -C build";

using Lines = std::vector<DoctorLine>;

DoctorLine ok(std::string name, std::string message) {
  return {std::move(name), Health::kOk, std::move(message), ""};
}

DoctorLine warning(std::string name, std::string message, std::string remedy) {
  return {std::move(name), Health::kWarning, std::move(message), std::move(remedy)};
}

DoctorLine missing(std::string name, std::string message, std::string remedy) {
  return {std::move(name), Health::kMissing, std::move(message), std::move(remedy)};
}

/// Names of the files that are not there and without which nothing is graded.
std::string absent(const std::vector<NeededFile>& files) {
  std::vector<std::string> names;
  for (const NeededFile& file : files) {
    if (!file.found && file.only_for.empty()) names.push_back(file.name);
  }
  return join(names, ", ");
}

/// What is not done because files are not there: "libcudart.so.12 for programs of CUDA 12".
std::string absent_for_some(const std::vector<NeededFile>& files) {
  std::vector<std::string> names;
  for (const NeededFile& file : files) {
    if (!file.found && !file.only_for.empty())
      names.push_back(fmt::format("{} for {}", file.name, file.only_for));
  }
  return join(names, ", ");
}

/// Names of the programs that are there and may not be executed.
std::string closed(const std::vector<NeededFile>& files) {
  std::vector<std::string> names;
  for (const NeededFile& file : files) {
    if (file.found && !file.may_run) names.push_back(file.name);
  }
  return join(names, ", ");
}

/// 13 of "Build cuda_13.0.r13.0/compiler.36424714_0"; 0 where there is none.
int major_of(const std::string& version) {
  constexpr std::string_view kKey = "cuda_";
  const size_t found = version.find(kKey);
  return found == std::string::npos ? 0 : std::atoi(version.c_str() + found + kKey.size());
}

DoctorLine toolkit(const MachineFacts& facts) {
  const std::string name = "CUDA Toolkit";
  if (facts.toolkit.empty())
    return missing(name, facts.toolkit_error, "./bootstrap build offers the distribution's");
  const int major = major_of(facts.toolkit_version);
  if (major < kOldestCudaMajor || major > kCudaMajor)
    return missing(
        name,
        fmt::format("{} in {} is not CUDA 11, 12 or 13", facts.toolkit_version, facts.toolkit),
        "install one of these and set CUDA_HOME to its folder");
  return ok(name, fmt::format("{} in {}", facts.toolkit_version, facts.toolkit));
}

DoctorLine compiler(const MachineFacts& facts) {
  if (!facts.has_gxx) return missing("compiler", "/usr/bin/g++ is missing", "apt-get install g++");
  if (!facts.sandbox_runs_nvcc)
    return missing("compiler", "nvcc does not run in the sandbox",
                   fmt::format("let all users read {}: chmod -R a+rX, its parent folders included",
                               facts.toolkit.empty() ? "the toolkit" : facts.toolkit));
  return ok("compiler", "nvcc and g++ run in the sandbox");
}

DoctorLine sandbox(const MachineFacts& facts) {
  if (facts.sandbox_works) return ok("sandbox", "bubblewrap");
  const SandboxTrouble trouble =
      sandbox_trouble(facts.has_bubblewrap, facts.apparmor_restricts, facts.sandbox_error);
  return missing("sandbox", trouble.why + ", so submissions of others are not graded",
                 trouble.remedy);
}

DoctorLine limits(const MachineFacts& facts) {
  if (facts.sandbox_limits != "polling")
    return ok("limits", facts.sandbox_limits + ": the kernel holds each submission as a whole");
  return warning(
      "limits",
      "this user may make no control groups, so the grader looks at the memory of a submission's "
      "processes every few milliseconds",
      "start it by systemd-run --user --scope -p Delegate=yes build/warpgrade ...");
}

DoctorLine build(const MachineFacts& facts) {
  if (const std::string names = absent(facts.built); !names.empty())
    return missing("build", fmt::format("not built: {}", names), kBuildRemedy);
  if (const std::string names = closed(facts.built); !names.empty())
    return missing("build", fmt::format("without the permission to execute: {}", names),
                   fmt::format("chmod -R +x {}", facts.engine));
  if (const std::string names = absent_for_some(facts.built); !names.empty())
    return warning("build", fmt::format("not built: {}", names), kBuildRemedy);
  if (facts.build == BuildState::kStale)
    return warning("build", "the build folder is older than the sources", kBuildRemedy);
  return ok("build", facts.build == BuildState::kUpToDate
                         ? "up to date"
                         : "complete (whether it is up to date is not known here)");
}

DoctorLine course(const MachineFacts& facts) {
  if (facts.assignments == 0)
    return missing("course", "there are no rubrics",
                   "run warpgrade in the course's folder, or name it by --course");
  return ok("course", counted(static_cast<long>(facts.assignments), "assignment"));
}

std::string gigabytes(uintmax_t bytes) {
  return fmt::format("{:.1f} GiB",
                     static_cast<double>(bytes) / static_cast<double>(kGigabyteBytes));
}

DoctorLine space(const MachineFacts& facts) {
  const std::string found =
      fmt::format("{} free in /dev/shm, {} for temporary files, {} for results",
                  gigabytes(facts.shared_memory_bytes), gigabytes(facts.temporary_bytes),
                  gigabytes(facts.results_bytes));
  // Where neither has room, nothing can be graded.
  if (std::max(facts.shared_memory_bytes, facts.temporary_bytes) < kGigabyteBytes)
    return missing("space", found, "free a gigabyte, or let TMPDIR name a folder that has one");
  if (facts.shared_memory_bytes < kGigabyteBytes)
    return warning("space", found + ": grading is slower without /dev/shm",
                   "mount -o remount,size=2G /dev/shm; in a container: --shm-size=2g");
  if (facts.results_bytes < kGigabyteBytes)
    return warning("space", found, "free space where results go, or name another folder by -o");
  return ok("space", found);
}

DoctorLine driver(const MachineFacts& facts) {
  const GpuMachine& machine = facts.machine;
  if (machine.gpus.empty())
    return warning("GPU", machine.error, "none is needed, but speed is measured only on a GPU");
  const std::string found = fmt::format("driver {}, CUDA {}", machine.driver, machine.cuda);
  if (std::atoi(machine.cuda.c_str()) < kCudaMajor)
    return missing("driver", found + " is too old for programs of CUDA 13",
                   "install the NVIDIA driver 580 or newer");
  if (!machine.error.empty())
    return warning("driver", found + "; " + machine.error, "see `dmesg`, restart the machine");
  return ok("driver", found);
}

DoctorLine tracing(const MachineFacts& facts) {
  if (const std::string names = absent(facts.built_for_gpu); !names.empty())
    return missing("tracing", fmt::format("not built: {}", names), kBuildRemedy);
  if (!facts.has_cupti)
    return missing("tracing", "the toolkit has no libcupti.so.13",
                   "install the toolkit's CUPTI (package cuda-cupti-13-0)");
  if (!facts.tracing_trouble) return ok("tracing", "libwarpgrade-trace.so, libcupti.so.13");
  if (facts.tracing_trouble->empty()) return ok("tracing", "a program was observed");
  return missing(
      "tracing", *facts.tracing_trouble,
      "let all users read the toolkit's CUPTI, and take a driver that fits it (580 or newer); "
      "until then grade with --device emulated");
}

DoctorLine nodes(const MachineFacts& facts) {
  std::vector<std::string> absent, closed;
  for (const NodeFact& node : facts.nodes) {
    if (!node.found) absent.push_back(node.path.string());
    if (node.found && !node.usable) closed.push_back(node.path.string());
  }
  if (!absent.empty())
    return missing("device nodes", join(absent, ", ") + ": not there",
                   "nvidia-modprobe -c 0 -u; in a container: pass the GPU to it");
  if (!closed.empty())
    return missing("device nodes", join(closed, ", ") + ": closed to graded programs",
                   fmt::format("chmod a+rw {}, or the driver's option NVreg_DeviceFileMode=0666",
                               join(closed, " ")));
  return ok("device nodes", "open to graded programs");
}

DoctorLine counters(const MachineFacts& facts) {
  const std::string name = "hardware counters";
  const std::string remedy =
      "write \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" to "
      "/etc/modprobe.d/nvidia-profiling.conf and restart the machine";
  if (!facts.counters_for_admins_only)
    return ok(
        name,
        "the driver does not say who may read them; grading tells, where an item asks for one");
  if (!*facts.counters_for_admins_only) return ok(name, "open to all users");
  // Root's own programs may read them; graded ones are never root's.
  const std::string who = facts.is_admin ? "this user, but not to the programs that it grades"
                                         : "root and CAP_SYS_ADMIN alone";
  return warning(name, fmt::format("open to {}: they count as not measured", who), remedy);
}

DoctorLine tool(const ToolFact& fact) {
  if (!fact.version.empty()) return ok(fact.name, fact.version);
  if (!fact.trouble.empty())
    return warning(fact.name, fmt::format("it does not run in the sandbox: {}", fact.trouble),
                   fmt::format("let all users read {}, its parent folders included: chmod -R a+rX",
                               fact.folder.string()));
  return warning(fact.name, "not found: what it measures counts as not measured",
                 fact.name == "ncu" ? "install Nsight Compute (package cuda-nsight-compute-13-0)"
                                    : "install the package cuda-sanitizer-13-0");
}

DoctorLine mode(const std::string& name, const Gpu& gpu) {
  const std::string remedy = fmt::format("nvidia-smi -i {} -c DEFAULT", gpu.uuid);
  if (gpu.compute_mode == "prohibited")
    return missing(name, "its compute mode allows no programs", remedy);
  if (gpu.compute_mode == "exclusive_process")
    return warning(name, "its compute mode allows one program at a time, so grading is slower",
                   remedy);
  return ok(name, "compute mode: default");
}

DoctorLine neighbours(const std::string& name, const Gpu& gpu) {
  if (gpu.processes.empty()) return ok(name, "no other process uses it");
  std::vector<std::string> names;
  for (const GpuProcess& process : gpu.processes)
    names.push_back(fmt::format("{} ({})", process.name, process.pid));
  return warning(name, "others use it, which disturbs times: " + join(names, ", "),
                 "end them while grading");
}

DoctorLine computing(const std::string& name, const std::string& trouble) {
  if (trouble.empty()) return ok(name, "computes for graded programs");
  return missing(name, "does not compute for graded programs: " + trouble,
                 "see `dmesg`; let all users read the driver's libraries");
}

void add_gpu(const Gpu& gpu, const MachineFacts& facts, Lines& lines) {
  const std::string name = fmt::format("GPU {}", gpu.index);
  const std::string found = fmt::format("{}, compute capability {}.{}, {}, {}", gpu.name, gpu.major,
                                        gpu.minor, gigabytes(gpu.memory_bytes), gpu.uuid);
  if (gpu.major * 10 + gpu.minor < kOldestCapability) {
    lines.push_back(missing(name, found + ": CUDA 13 makes no programs for it",
                            "a GPU of compute capability 7.5 or newer"));
    return;
  }
  lines.push_back(ok(name, found));
  if (const auto asked = facts.gpu_trouble.find(gpu.uuid); asked != facts.gpu_trouble.end())
    lines.push_back(computing(name, asked->second));
  if (gpu.mig)
    lines.push_back(missing(name, "it is split up (MIG), which is not supported",
                            fmt::format("nvidia-smi -i {} -mig 0", gpu.uuid)));
  lines.push_back(mode(name, gpu));
  lines.push_back(gpu.persistence ? ok(name, "persistence mode is on")
                                  : warning(name, "persistence mode is off: programs start late",
                                            fmt::format("nvidia-smi -i {} -pm 1", gpu.uuid)));
  lines.push_back(neighbours(name, gpu));
}

const char* word_of(Health health) {
  if (health == Health::kOk) return "ok";
  return health == Health::kWarning ? "warn" : "missing";
}

}  // namespace

Lines diagnose(const MachineFacts& facts) {
  Lines lines = {toolkit(facts), compiler(facts), sandbox(facts), limits(facts),
                 build(facts),   course(facts),   space(facts)};
  const size_t first_for_gpu = lines.size();
  lines.push_back(driver(facts));
  if (!facts.machine.gpus.empty()) {
    for (const Gpu& gpu : facts.machine.gpus) add_gpu(gpu, facts, lines);
    lines.insert(lines.end(), {nodes(facts), tracing(facts), counters(facts)});
    for (const ToolFact& fact : facts.tools) lines.push_back(tool(fact));
  }
  for (size_t i = first_for_gpu; i < lines.size(); ++i) lines[i].for_gpu = true;
  return lines;
}

bool can_grade(const Lines& lines) {
  return std::none_of(lines.begin(), lines.end(), [](const DoctorLine& line) {
    return line.health == Health::kMissing && !line.for_gpu;
  });
}

std::string conclusion(const MachineFacts& facts, const Lines& lines) {
  if (!can_grade(lines)) return "This machine cannot grade yet: mend what is missing.";
  if (facts.machine.gpus.empty())
    return "This machine grades everything on the emulated device: builds, correct results, "
           "requirements and efficiency, all final. Without a GPU it cannot measure speed (it "
           "models "
           "it, and the result says provisional), nor read hardware counters or run "
           "compute-sanitizer (such items are pending).";
  const bool gpu_works = std::none_of(lines.begin(), lines.end(), [](const DoctorLine& line) {
    return line.health == Health::kMissing;
  });
  const std::string gpus = counted(static_cast<long>(facts.machine.gpus.size()), "GPU");
  return gpu_works
             ? fmt::format("This machine grades on the emulated device and measures on {}.", gpus)
             : fmt::format(
                   "This machine grades on the emulated device. Before it can measure "
                   "on its {}, mend what is missing.",
                   gpus);
}

std::string doctor_text(const MachineFacts& facts) {
  const Lines lines = diagnose(facts);
  std::string text;
  for (const DoctorLine& line : lines) {
    text += fmt::format("{:<8} {}: {}\n", word_of(line.health), line.name, printable(line.message));
    if (!line.remedy.empty()) text += fmt::format("         -> {}\n", line.remedy);
  }
  return text + "\n" + conclusion(facts, lines) + "\n";
}

std::string doctor_json(const MachineFacts& facts) {
  const Lines lines = diagnose(facts);
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const DoctorLine& line : lines)
    checks.push_back({{"name", line.name},
                      {"status", word_of(line.health)},
                      {"message", line.message},
                      {"remedy", line.remedy},
                      {"for", line.for_gpu ? "gpu" : "emulated"}});
  const nlohmann::ordered_json document = {{"can_grade", can_grade(lines)},
                                           {"gpus", facts.machine.gpus.size()},
                                           {"conclusion", conclusion(facts, lines)},
                                           {"checks", checks}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace warpgrade
