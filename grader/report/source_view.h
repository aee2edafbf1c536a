// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "report/result.h"

namespace warpgrade {

/// A section of a page: each finding with the source line that it is about. Empty where there is none.
std::string findings_section(const SubmissionResult& result, std::string_view source);

/// A section of a page: the source, whose margin says which lines have findings. Empty without a source.
std::string source_section(const SubmissionResult& result, std::string_view source);

}  // namespace warpgrade
