// SPDX-License-Identifier: MIT
#pragma once

#include "run/runner.h"

namespace warpgrade {

/// Reads the arrays that a program wrote to its `folder`, whatever else it left there.
void read_outputs(const fs::path& folder, RunResult& result);

}  // namespace warpgrade
