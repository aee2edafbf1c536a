// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"

namespace warpgrade {

/// `autograder`: a ZIP file for Gradescope.
void add_autograder(CLI::App& app, Options& options);

}  // namespace warpgrade
