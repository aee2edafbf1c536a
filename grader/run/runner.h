// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/npy.h"
#include "plan/plan.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// A student's program and the folder of its own where the files of its runs go.
struct ProgramPlace {
  fs::path program;
  fs::path folder;
  int slot = 0;
};

/// What a run left behind. Nothing in it is trusted but `process`.
struct RunResult {
  ProcessOutcome process;
  std::map<std::string, NpyArray> outputs;
  /// Outputs of each repetition, where the step has any.
  std::vector<std::map<std::string, NpyArray>> repetitions;
  /// Outputs that are no arrays, and why; "2/C" is that of repetition 2.
  std::map<std::string, std::string> unreadable;
  bool endless_calls = false;   ///< it called the CUDA runtime so often that the trace was cut off
  std::string trace;            ///< JSON lines, see observe/trace.h
  bool device_crashed = false;  ///< that, and not the machine, made the run fail
  std::string gpu_trouble;      ///< why its GPU should not be used any more; empty = it may
};

/// A program as a tool of NVIDIA's may start it, and the folder for what the tool writes.
struct ToolRun {
  Command command;
  fs::path log;
};

/// A case and its in/ folder.
struct CaseToRun {
  const RunStep& step;
  fs::path inputs;
};

/// Runs one program, case after case, each in a fresh process. For one thread.
class ProgramRuns {
 public:
  virtual ~ProgramRuns() = default;
  /// `inputs` is the case's in/ folder, shared by all students; of repetitions, the one that holds
  /// the folders 0/, 1/, ... that they name.
  virtual RunResult run(const RunStep& step, const fs::path& inputs) = 0;
  /// All of the cases one after another in one process, which is much faster where a process takes long to start: the
  /// outputs of each are in `repetitions`. None where that is not possible.
  virtual std::optional<RunResult> run_together(const std::vector<CaseToRun>&) {
    return std::nullopt;
  }
  /// The same run for a tool that starts the program itself, in folders laid out for it.
  virtual Result<ToolRun> for_tool(const RunStep&, const fs::path&) {
    return Error{"there are no such tools on this device"};
  }
  /// What the program left that a tool has run.
  virtual RunResult left_by_tool(const RunStep&) { return {}; }
};

/// Up to three times, as long as the machine and not the program fails. The emulated device crashed where it did so each time.
RunResult run_patiently(ProgramRuns& runs, const RunStep& step, const fs::path& inputs);

/// Runs student programs: the only way to start one.
class Runner {
 public:
  virtual ~Runner() = default;
  /// The runner must outlive what it returns.
  virtual std::unique_ptr<ProgramRuns> open(const ProgramPlace& place) const = 0;
};

}  // namespace warpgrade
