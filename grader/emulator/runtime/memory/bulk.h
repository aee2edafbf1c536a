// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpgrade::emulator {

/// Bytes of the program, or of a device, whose pages may never have been touched.
struct Bytes {
  uint8_t* begin = nullptr;
  bool on_device = false;
};

/// As memmove; what was never touched on the source's device takes no memory of the target's.
void move_bytes(Bytes to, Bytes from, size_t count);
/// Makes them zeros; pages of a device that were never touched stay so.
void zero_bytes(Bytes to, size_t count);

}  // namespace warpgrade::emulator
