// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "observe/trace.h"

namespace warpgrade {

/// A drawing of a race: both threads, the memory between them, their lines, and what is missing. Empty where the
/// finding is no race within a kernel.
std::string race_figure(const Finding& finding, const std::string& language);

}  // namespace warpgrade
