// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"

namespace warpgrade {

/// `show` and `status`: what a results folder holds.
void add_results(CLI::App& app, Options& options);

}  // namespace warpgrade
