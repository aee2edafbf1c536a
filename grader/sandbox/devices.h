// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// An Error names the first of the command's devices that is not there, or is no device.
Status find_devices(const Command& command);

}  // namespace warpgrade
