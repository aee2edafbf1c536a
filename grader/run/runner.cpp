// SPDX-License-Identifier: MIT
#include "run/runner.h"

namespace warpgrade {

RunResult run_patiently(ProgramRuns& runs, const RunStep& step, const fs::path& inputs) {
  constexpr int kTries = 3;
  RunResult result;
  bool always_crashed = true;
  for (int attempt = 0; attempt < kTries && result.process.ending == Ending::kSystemError;
       ++attempt) {
    result = runs.run(step, inputs);
    always_crashed = always_crashed && result.device_crashed;
  }
  result.device_crashed = always_crashed;
  return result;
}

}  // namespace warpgrade
