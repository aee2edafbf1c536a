// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/runtime/api.h"

namespace warpgrade::emulator {

/// Where `count` bytes at `offset` of a __device__ or __constant__ variable lie on the current
/// device; cudaErrorInvalidSymbol, or cudaErrorInvalidValue where they do not fit.
cudaError_t symbol_address(ApiCall& call, const void* symbol, size_t count, size_t offset,
                           uint64_t& address);

}  // namespace warpgrade::emulator
