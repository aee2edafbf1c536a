// SPDX-License-Identifier: MIT
#pragma once

#include "run/foreground.h"

namespace warpgrade {

/// Runs the program as become() does, and then writes a page about the run to `page`. Returns the exit code of the
/// command: the program's own, 128 and its signal's number where one ended it, or 99 where there is no page.
int run_with_report(const ForegroundProgram& program, const fs::path& page);

}  // namespace warpgrade
