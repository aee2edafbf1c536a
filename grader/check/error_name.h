// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace warpgrade {

/// "cudaErrorInvalidConfiguration (9)"; "CUDA error 12345" where the number has no name here. The
/// numbers are those of cudaError in the toolkit's driver_types.h.
std::string error_name(int error);

}  // namespace warpgrade
