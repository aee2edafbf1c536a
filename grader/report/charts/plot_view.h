// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/result.h"

namespace warpgrade {

/// A section of a page: each plot as a picture and as a table. Empty where there is none.
std::string plots_section(const SubmissionResult& result);

}  // namespace warpgrade
