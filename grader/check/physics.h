// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade {

constexpr double kBytesPerGb = 1e9;
constexpr double kFlopPerGflop = 1e9;
/// What was written may lie in the L2 when a kernel ends, so a time a little below the floor is possible.
constexpr double kFloorPart = 0.8;

}  // namespace warpgrade
