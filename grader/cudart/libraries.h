// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cudart/toolkit.h"

namespace warpgrade::cudart {

constexpr uint32_t kContainerMagic = 0xBA55ED50;

/// Loads a container of device code, or the text of PTX up to its first zero. Machine code is refused.
cudaError_t load_library(cudaLibrary_t* handle, const void* code);

/// A whole file, or nothing where it cannot be read.
std::optional<std::string> code_in_file(const char* path);

/// Whether an address or a handle names a kernel of the current device.
bool is_kernel(const void* function);

}  // namespace warpgrade::cudart
