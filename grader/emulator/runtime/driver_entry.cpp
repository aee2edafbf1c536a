// SPDX-License-Identifier: MIT
// CUDA Runtime API, chapter "Driver Entry Point Access": there is no driver under this runtime, so
// none of its functions is found.
#include "emulator/runtime/api.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

cudaError_t not_found(const char* name, const char* symbol, void** function,
                      cudaDriverEntryPointQueryResult* status) {
  return api_call(name, EarlierFault::ignored, [&](ApiCall& call) {
    if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
    call.find(say("unsupported.driver", {{"function", symbol}}));
    *function = nullptr;
    if (status != nullptr) *status = cudaDriverEntryPointSymbolNotFound;
    return status != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* status) {
  return not_found("cudaGetDriverEntryPoint", symbol, function, status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
  return not_found("cudaGetDriverEntryPointByVersion", symbol, function, status);
}

}  // extern "C"
}  // namespace warpgrade::emulator
