// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "rubric/rubric.h"
#include "rubric/schema.h"

namespace warpgrade {

/// The driver's arguments in order.
Type<std::vector<Arg>> args_type();

/// Other values for some of `args`, which is read before these.
Type<std::vector<Arg>> on_gpu_type(const std::vector<Arg>& args);

}  // namespace warpgrade
