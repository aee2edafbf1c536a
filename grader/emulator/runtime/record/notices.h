// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "emulator/exec/lookout.h"

namespace warpgrade::emulator {

/// "kernel spin(int*) is at spin.cu:3, block (0,0,0), thread (0,0,0); 1 of 4 blocks has begun"
std::string in_words(const Position& position);

/// Says on stderr where a kernel is that has run for `after_s`, for twice as long, and so on, and the same of a program whose many
/// short kernels have run for so long together. From a thread of its own, for as long as the process lives; `lookout` must live as
/// long.
void watch_long_launches(Lookout& lookout, double after_s);

/// Says on stderr where the kernel was that ran when its program ended; whether one did.
bool tell_where_it_ended(Lookout& lookout);

}  // namespace warpgrade::emulator
