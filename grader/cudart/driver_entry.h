// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

#include <optional>

namespace warpgrade::cudart {

/// What the emulated libcuda.so.1 says of a function of the driver, as cudaGetDriverEntryPointByVersion does (CUDA Runtime
/// API, "Driver Entry Point Access"); nullopt where the program cannot load that library.
std::optional<cudaError_t> find_driver_entry(const char* symbol, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status);

}  // namespace warpgrade::cudart
