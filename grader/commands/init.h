// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"

namespace warpgrade {

/// Adds `warpgrade init`.
void add_init(CLI::App& app, Options& options);

}  // namespace warpgrade
