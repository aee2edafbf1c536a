// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "pipeline/oracle_program.h"
#include "run/runner.h"

namespace warpgrade {

/// The same runs, whose results also hold what the oracle makes of the program's outputs, where their step asks for it. An oracle
/// that fails makes a run one that the machine failed. `folder` is for the oracle's files; the oracle must
/// outlive what is returned.
std::unique_ptr<ProgramRuns> with_derived_outputs(std::unique_ptr<ProgramRuns> runs,
                                                  const OracleProgram& oracle, fs::path folder);

/// The folder for it beside a program's own, out of the program's view.
inline fs::path derived_folder(const ProgramPlace& place) {
  return place.folder.string() + "-derived";
}

}  // namespace warpgrade
