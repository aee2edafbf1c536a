// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// For each instruction of `function`, how many accesses to shared or global memory ptxas makes into one: 1
/// for one that stays alone, 2 or 4 for the first of several neighbours, and 0 for the others. It
/// joins plain loads, or stores, of 4 or 8 bytes in straight-line code where it can tell that they
/// fill aligned 8 or 16 bytes, and stores of 2 bytes that fill 4 or 8. Three loads of 4 bytes are enough for one of 16. It
/// can tell by where an array lies in shared memory, and by a wider access at the same register. A load of
/// what was just loaded it leaves out: 0, too. Read off the SASS of ptxas 13.0.
std::vector<uint8_t> joined_accesses(const ptx::Module& module, const ptx::Function& function);

}  // namespace warpgrade::emulator
