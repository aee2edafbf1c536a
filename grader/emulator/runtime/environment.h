// SPDX-License-Identifier: MIT
#pragma once

namespace warpgrade::emulator {

/// A variable as it was when this library was loaded, which is before the program's own constructors
/// ran; null where it was not set. Nothing that the program does to its environment changes it.
const char* first_variable(const char* name);

}  // namespace warpgrade::emulator
