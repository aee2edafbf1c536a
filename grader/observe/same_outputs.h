// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/npy.h"

namespace warpgrade {

/// What a run lacks of what another run of the same program wrote, in words: an array of the same
/// type and shape and, of those in `exact`, of the same bytes. Empty where it has all. A run that
/// wrote nothing proves nothing.
std::string missing_outputs(const std::map<std::string, NpyArray>& plain,
                            const std::map<std::string, NpyArray>& again,
                            const std::vector<std::string>& exact);

}  // namespace warpgrade
