// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

struct Instruction;

/// A load or store that is no use of its value.
enum class MemberAccess : uint8_t {
  copy,  ///< stores a member of a structure that is copied: one that nobody has set comes along
  bits,  ///< loads the word of a bit-field, of which the same instructions replace some bits
};

/// Those of a function by their index in its body, whose instructions `decoded` has in the same order.
std::unordered_map<uint32_t, MemberAccess> member_accesses(const ptx::Function& function,
                                                           const Instruction* decoded);

}  // namespace warpgrade::emulator
