// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string_view>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// The functions in which ptxas 13.0 leaves an `atom` an atomic although nothing uses its result. It makes reductions of
/// the others. From sm_90 on it leaves those of a kernel that has a `membar` or `fence`, or calls a function that has.
std::set<std::string_view> functions_that_keep_atomics(const ptx::Module& module, int sm);

}  // namespace warpgrade::emulator
