// SPDX-License-Identifier: MIT
#pragma once

#include "cudart/wire.h"

namespace warpgrade::emulator {

/// Makes the call that a message asks for, with arguments in the device's own memory, and writes its result.
/// False where the message is none that a libcudart sends; nothing was called then.
bool serve_call(uint32_t id, cudart::Reader& message, cudart::Writer& result);

}  // namespace warpgrade::emulator
