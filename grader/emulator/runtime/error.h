// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

/// "cudaErrorInvalidValue (invalid argument)"
std::string in_words(cudaError_t error);

}  // namespace warpgrade::emulator
