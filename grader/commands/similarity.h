// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"

namespace warpgrade {

/// Adds `similarity`.
void add_similarity(CLI::App& app, Options& options);

}  // namespace warpgrade
