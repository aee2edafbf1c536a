// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"

namespace warpgrade {

/// Adds `report`.
void add_reports(CLI::App& app, Options& options);

}  // namespace warpgrade
