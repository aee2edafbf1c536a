// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "check/judgement.h"
#include "run/runner.h"

namespace warpgrade {

/// NVIDIA's own tools on this machine; empty where they are missing.
struct Instruments {
  fs::path sanitizer;
  fs::path ncu;
};

/// Looks in the toolkit, along `search_path` (the value of PATH), and for ncu in `nsight`, the folder of Nsight
/// Compute's versions.
Instruments find_instruments(const fs::path& toolkit, const std::string& search_path,
                             const fs::path& nsight = "/opt/nvidia/nsight-compute");

/// What the tools say that the items of one case ask for.
struct InstrumentReadings {
  std::map<std::string, SanitizerRun> sanitizer;  ///< by tool
  std::map<std::string, CounterValues> hardware;  ///< by NVTX range
};

/// Runs the case again under each tool that its items name, one after another, since CUDA lets none
/// stand beside another. `plain` is the run without them, whose outputs prove that the program ran.
InstrumentReadings read_instruments(const Instruments& instruments, const Rubric& rubric,
                                    const RunStep& step, const RunResult& plain, ProgramRuns& runs,
                                    const fs::path& inputs, const Sandbox& sandbox, int major);

}  // namespace warpgrade
