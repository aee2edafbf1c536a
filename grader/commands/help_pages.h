// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"

namespace warpgrade {

/// Adds the hidden command `help-pages DIR`, by which the build makes manual pages and completions of all commands that
/// `app` has when it runs.
void add_help_pages(CLI::App& app, Options& options);

}  // namespace warpgrade
