// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"

namespace warpgrade {

/// Adds `leaderboard`.
void add_leaderboard(CLI::App& app, Options& options);

}  // namespace warpgrade
