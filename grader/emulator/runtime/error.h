// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

/// "cudaErrorInvalidValue (invalid argument)"
std::string in_words(cudaError_t error);
/// What cudaGetErrorString or, asked for the name, cudaGetErrorName returns.
const char* text_of_error(int error, bool name);

}  // namespace warpgrade::emulator
