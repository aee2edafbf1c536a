// SPDX-License-Identifier: MIT
#include "emulator/runtime/unsupported.h"

#include "emulator/runtime/api.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {

cudaError_t refuse_call(const std::string& name) {
  return api_call(name.c_str(), EarlierFault::ignored, [&](ApiCall& call) {
    call.find(say("unsupported.call", {{"call", name}}));
    return cudaErrorNotSupported;
  });
}

}  // namespace warpgrade::emulator
