// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/sentence.h"
#include "observe/trace.h"

namespace warpgrade {

/// Why launches_in() is empty: nothing was launched in the range, or what was
/// launched failed, and then where and how.
Sentence why_no_launch(const Trace& trace, const std::string& range);

/// Where and how a launch of the range failed; empty where none did. What comes after it fails, too.
Sentence why_failed(const Trace& trace, const std::string& range);

}  // namespace warpgrade
