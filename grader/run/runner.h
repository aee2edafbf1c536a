// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>

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
  std::vector<std::map<std::string, NpyArray>>
      repetitions;                                ///< outputs of each, where a run has several
  std::map<std::string, std::string> unreadable;  ///< outputs that are no arrays, and why
  bool endless_calls = false;  ///< it called the CUDA runtime so often that the trace was cut off
  std::string trace;           ///< JSON lines, see observe/trace.h
};

/// Runs one program, case after case, each in a fresh process. For one thread.
class ProgramRuns {
 public:
  virtual ~ProgramRuns() = default;
  /// `inputs` is the case's in/ folder, shared by all students.
  virtual RunResult run(const RunStep& step, const fs::path& inputs) = 0;
};

/// Runs student programs: the only way to start one.
class Runner {
 public:
  virtual ~Runner() = default;
  /// The runner must outlive what it returns.
  virtual std::unique_ptr<ProgramRuns> open(const ProgramPlace& place) const = 0;
};

}  // namespace warpgrade
