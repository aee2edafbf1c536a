// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade {

/// Runs the command that the words of a command line name; returns the status to exit with (options.h).
int run_program(int argc, char** argv);

}  // namespace warpgrade
