// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade::emulator {

constexpr int kWarpSize = 32;

}  // namespace warpgrade::emulator
