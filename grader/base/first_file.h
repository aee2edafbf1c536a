// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/files.h"

namespace warpgrade {

/// The first of `candidates` that is a regular file, with links followed; empty where none is.
fs::path first_file(const std::vector<fs::path>& candidates);

}  // namespace warpgrade
