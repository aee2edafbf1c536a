// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace warpgrade::injection {

/// Nanoseconds of CLOCK_MONOTONIC, which is also what CUPTI is told to convert the device's times to. Asks the
/// operating system itself: a program's own clock_gettime would come before the C library's.
uint64_t monotonic_ns();

}  // namespace warpgrade::injection
