// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "pipeline/oracle_program.h"
#include "run/runner.h"

namespace warpgrade {

/// Runs `runs`, and adds to each result the outputs that its step derives: the oracle makes them of what the program wrote. Where
/// the oracle fails, the run is a system error. `folder` is for the oracle's files; the oracle must outlive what is returned.
std::unique_ptr<ProgramRuns> with_derived_outputs(std::unique_ptr<ProgramRuns> runs,
                                                  const OracleProgram& oracle, fs::path folder);

/// The folder for it beside a program's own, out of the program's view.
inline fs::path derived_folder(const ProgramPlace& place) {
  return place.folder.string() + "-derived";
}

}  // namespace warpgrade
