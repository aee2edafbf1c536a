// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_set>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

/// The `atom` instructions, by index in Program::code, that ptxas 13.0 leaves atomics although the kernel drops their
/// results. It makes reductions of the others. From sm_90 on it leaves all where the kernel, or a function that it calls,
/// has a `membar` or `fence`.
std::unordered_set<uint32_t> kept_atomics(const ptx::Module& module, const Program& program,
                                          int sm);

}  // namespace warpgrade::emulator
