// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace warpgrade::emulator {

/// Every name under which a launch may report a number, sorted. On a machine without ptxas, what would
/// be ptxas's is estimated and has names that begin with `estimated__`.
const std::vector<std::string>& metric_names();

}  // namespace warpgrade::emulator
