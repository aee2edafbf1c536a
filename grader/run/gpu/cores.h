// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade {

/// Lanes for 32-bit floating-point numbers of one multiprocessor; 0 where the compute capability is not known.
constexpr int float_cores_per_sm(int major, int minor) {
  if (major == 7 || (major == 8 && minor == 0)) return 64;
  if (major == 6) return minor == 0 ? 64 : 128;
  return major >= 8 && major <= 12 ? 128 : 0;
}

}  // namespace warpgrade
