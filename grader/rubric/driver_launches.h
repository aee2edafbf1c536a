// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rubric/diagnostics.h"

namespace warpgrade {

/// The names of the kernels that a contract's header declares.
std::vector<std::string> declared_kernels(std::string_view header);

/// Reports each place where a driver launches one of `kernels` by `<<<>>>`: a student's file can define the host function
/// that this calls. `errors` is about the driver's source.
void check_driver_launches(std::string_view driver, const std::vector<std::string>& kernels,
                           Diagnostics& errors);

}  // namespace warpgrade
