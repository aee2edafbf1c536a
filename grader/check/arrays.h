// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "base/npy.h"

namespace warpgrade {

/// Arrays by name, as a folder of .npy files holds them.
using Arrays = std::map<std::string, NpyArray>;

}  // namespace warpgrade
