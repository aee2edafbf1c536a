// SPDX-License-Identifier: MIT
#pragma once

#include "pipeline/installation.h"

namespace warpgrade {

/// The program that makes an assignment's cases. The engine has those of the course that it was built with; of another
/// course it compiles an oracle on first use and keeps it in the cache. An Error holds the compiler's words.
Result<fs::path> oracle_of(const Installation& installation, const std::string& slug);

}  // namespace warpgrade
