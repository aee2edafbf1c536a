// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>

namespace warpgrade::harness {

/// Undoes a cudaHostRegister of the memory that begins at `host`, where a student's function left one. Memory that
/// is freed while it is registered makes later copies fail that begin at the same address.
inline void give_back_registration(void* host) {
  cudaPointerAttributes attributes{};
  const bool known = cudaPointerGetAttributes(&attributes, host) == cudaSuccess;
  if (known && attributes.type == cudaMemoryTypeHost) cudaHostUnregister(host);
}

}  // namespace warpgrade::harness
