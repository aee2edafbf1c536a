// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "report/result.h"

namespace warpgrade {

/// A section of a page: each finding with the source line that it is about. Empty where there is none. `source_name`:
/// the file that `source` is; empty = the student's, which is any but the driver.
std::string findings_section(const SubmissionResult& result, std::string_view source,
                             const std::string& source_name = "");

/// A section of a page: the source, whose margin says which lines have findings and what each line cost. Empty
/// without a source.
std::string source_section(const SubmissionResult& result, std::string_view source,
                           const std::string& source_name = "");

}  // namespace warpgrade
