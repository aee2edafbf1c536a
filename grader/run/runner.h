// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "base/files.h"
#include "base/npy.h"
#include "plan/plan.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// One run of a student's program.
struct RunRequest {
  fs::path program;
  RunStep step;
  fs::path inputs;  ///< the case's in/ folder, shared by all students
  fs::path folder;  ///< of its own, where this run's files go
  int slot = 0;
};

/// What a run left behind. Nothing in it is trusted but `process`.
struct RunResult {
  ProcessOutcome process;
  std::map<std::string, NpyArray> outputs;
  std::map<std::string, std::string> unreadable;  ///< outputs that are no arrays, and why
  bool endless_calls = false;  ///< it called the CUDA runtime so often that the trace was cut off
  std::string trace;           ///< JSON lines, see observe/trace.h
};

/// Runs student programs: the only way to start one.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual RunResult run(const RunRequest& request) const = 0;
};

}  // namespace warpgrade
