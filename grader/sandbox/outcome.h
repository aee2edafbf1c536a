// SPDX-License-Identifier: MIT
#pragma once

#include "sandbox/sandbox.h"

namespace warpgrade {

ProcessOutcome system_error(std::string why);

/// A wait status as bubblewrap and shells report it: "killed by signal n" is 128 + n.
int exit_code_of(int wait_status);

/// Completes the outcome of a command that was not stopped from outside.
void set_exit(ProcessOutcome& outcome, int code);

}  // namespace warpgrade
