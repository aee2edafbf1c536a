// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

/// Answers a call of the Runtime API that the emulated device does not have.
cudaError_t refuse_call(const std::string& name);

}  // namespace warpgrade::emulator
