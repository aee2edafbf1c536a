// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/ptx/module.h"

namespace warpgrade::emulator {

/// A load or store that is no use of its value.
enum class MemberAccess : uint8_t {
  copy,  ///< stores a member of a structure that is copied: one that nobody has set comes along
  bits,  ///< loads the word of a bit-field, of which the same instructions replace some bits
};

/// Those of a function by their index in its body. `moves`: for each instruction, whether it is a load whose values are
/// stored and not used.
std::unordered_map<uint32_t, MemberAccess> member_accesses(const ptx::Function& function,
                                                           const std::vector<bool>& moves);

}  // namespace warpgrade::emulator
