// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_set>

#include "emulator/exec/program.h"

namespace warpgrade::emulator {

/// The `atom` instructions, by index in Program::code, that stay what they are although nobody reads the old value. ptxas
/// 13.0 makes each other one a reduction. From sm_90 on it makes none of them where the kernel, or what it calls, has a
/// `membar` or `fence`.
std::unordered_set<uint32_t> kept_atomics(const ptx::Module& module, const Program& program,
                                          int sm);

}  // namespace warpgrade::emulator
