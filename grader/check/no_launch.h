// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "observe/trace.h"

namespace warpgrade {

/// Why launches_in() is empty, as a sentence for the student: nothing was launched in the range, or what was
/// launched failed, and then where and how.
std::string why_no_launch(const Trace& trace, const std::string& range);

}  // namespace warpgrade
