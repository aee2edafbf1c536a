// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/exec/launch.h"
#include "emulator/runtime/host.h"

namespace warpgrade::emulator {

/// The finding at the line where the program makes the call that is under way; as it is where that is unknown.
Finding at_call(Finding finding);
/// The same at the line that has the code at this address of the program's; 0: unknown.
Finding at_code(Finding finding, uint64_t address);
Finding at_place(Finding finding, HostPlace place);

}  // namespace warpgrade::emulator
