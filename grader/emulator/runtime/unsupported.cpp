// SPDX-License-Identifier: MIT
// Every export of the toolkit's runtime library that nothing else here defines. A program that
// names one links, and is told which call it was when it makes it.
#include <string>

#include "emulator/runtime/api.h"

// The toolkit's prototypes, where there are any, differ from the one that fits every call: on the
// platforms that CUDA 13 knows, the caller passes its arguments without the callee's help.
#define WARPGRADE_UNSUPPORTED(name)                         \
  extern "C" cudaError_t warpgrade_##name() __asm__(#name); \
  cudaError_t warpgrade_##name() { return warpgrade::emulator::refuse(#name); }

namespace warpgrade::emulator {
namespace {

cudaError_t refuse(const char* name) {
  return api_call(name, EarlierFault::ignored, [&](ApiCall& call) {
    call.find("unsupported", std::string(name) + " is not supported by the emulated device");
    return cudaErrorNotSupported;
  });
}

}  // namespace
}  // namespace warpgrade::emulator

#include "emulator/runtime/unsupported.inc"
