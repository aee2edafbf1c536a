// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace warpgrade::emulator {

/// The functions of the CUDA Runtime API, sorted; the emulated device may not have all of them yet.
const std::vector<std::string>& call_names();

}  // namespace warpgrade::emulator
