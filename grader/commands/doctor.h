// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "run/gpu/gpu.h"

namespace warpgrade {

/// A file or folder that something needs, and whether it is there.
struct NeededFile {
  std::string name;
  bool found = false;
  bool may_run = true;        ///< of a program: whether this user may execute it
  std::string only_for = {};  ///< what is not done without it; empty: nothing is graded without it
};

/// A device node as graded programs see it.
struct NodeFact {
  fs::path path;
  bool found = false;
  bool usable = false;  ///< for the users that graded programs run as
};

/// A tool that is run where it is there.
struct ToolFact {
  std::string name;
  std::string version;       ///< empty: it does not run in the sandbox
  std::string trouble = {};  ///< what it said there; empty: it was not found
  fs::path folder = {};      ///< that of its installation
};

enum class BuildState { kUpToDate, kStale, kNotKnown };

/// What `warpgrade doctor` asks of a machine, gathered by gather_facts().
struct MachineFacts {
  std::string toolkit;          ///< its folder; empty where there is none
  std::string toolkit_version;  ///< what `nvcc --version` ends with
  std::string toolkit_error;
  bool has_gxx = false;
  bool sandbox_runs_nvcc = false;
  bool sandbox_works = false;  ///< bubblewrap's
  bool has_bubblewrap = false;
  std::string sandbox_error;        ///< what bubblewrap said
  std::string sandbox_limits;       ///< what holds submissions as a whole, as results name it
  bool apparmor_restricts = false;  ///< unprivileged user namespaces
  std::vector<NeededFile> built;    ///< what grading on the emulated device needs
  BuildState build = BuildState::kNotKnown;
  std::string engine;  ///< the folder that the engine's programs lie in
  size_t assignments = 0;
  uintmax_t shared_memory_bytes = 0;  ///< free in /dev/shm
  uintmax_t temporary_bytes = 0;      ///< free where temporary files go
  uintmax_t results_bytes = 0;        ///< free in the current folder
  GpuMachine machine;
  bool has_cupti = false;
  std::vector<NeededFile> built_for_gpu;
  std::vector<NodeFact> nodes;
  /// By UUID, why a GPU does not compute for graded programs; empty where it does. Only of those that
  /// were asked.
  std::map<std::string, std::string> gpu_trouble;
  /// Why a program cannot be observed; empty where one was. None where nobody tried.
  std::optional<std::string> tracing_trouble;
  std::optional<bool> counters_for_admins_only;
  bool is_admin = false;        ///< root, or CAP_SYS_ADMIN
  std::vector<ToolFact> tools;  ///< ncu and compute-sanitizer
};

/// kMissing: something cannot be done before it is mended; kWarning: it is done worse.
enum class Health { kOk, kWarning, kMissing };

struct DoctorLine {
  std::string name;
  Health health = Health::kOk;
  std::string message;
  std::string remedy;    ///< empty where nothing is to be done
  bool for_gpu = false;  ///< only grading on a GPU needs it
};

/// One line for each check that makes sense on the machine.
std::vector<DoctorLine> diagnose(const MachineFacts& facts);

/// Whether the machine can grade on the emulated device.
bool can_grade(const std::vector<DoctorLine>& lines);

/// What the machine can do, and what not, in sentences.
std::string conclusion(const MachineFacts& facts, const std::vector<DoctorLine>& lines);

std::string doctor_text(const MachineFacts& facts);
std::string doctor_json(const MachineFacts& facts);

}  // namespace warpgrade
