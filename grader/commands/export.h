// SPDX-License-Identifier: MIT
#pragma once

#include "commands/options.h"

namespace warpgrade {

/// `export`: results for LMSs, CI services and editors.
void add_export(CLI::App& app, Options& options);

}  // namespace warpgrade
