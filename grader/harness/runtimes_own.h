// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace warpgrade::harness {

/// Calls the runtime's own function behind one of the same name that the driver defines.
template <class... Parameters>
cudaError_t call_runtimes(const char* name, Parameters... arguments) {
  const auto function = reinterpret_cast<cudaError_t (*)(Parameters...)>(dlsym(RTLD_NEXT, name));
  return function(arguments...);
}

}  // namespace warpgrade::harness
