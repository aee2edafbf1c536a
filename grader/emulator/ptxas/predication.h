// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// Leaves arithmetic to the lanes that use its result, where ptxas does for that compute capability (90 for 9.0), so that
/// counters of lanes follow it: what only a `selp.f32` uses gets its predicate, and what only lanes use that do not leave
/// the kernel goes behind the exit. Read off the SASS of ptxas 13.0; a module that was built by -G is left as it is.
void predicate(ptx::Module& module, int sm);

}  // namespace warpgrade::emulator
