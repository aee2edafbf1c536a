// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"

namespace warpgrade {

/// Adds `mutant`, which prints a mutant's whole program.
void add_mutant(CLI::App& app, Options& options);

}  // namespace warpgrade
