// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/result.h"

namespace warpgrade {

/// A section of a page: the first wrong element of each output, and pictures of where outputs are wrong. Empty where
/// none is, or the student may not know.
std::string wrong_section(const SubmissionResult& result);

}  // namespace warpgrade
