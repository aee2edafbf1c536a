// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "report/result.h"

namespace warpgrade {

/// A page for the student, which stands alone: items with reasons, wrong elements, findings beside their source
/// lines, counters, speeds and the source. It holds what for_student() leaves, and of `source` all: the text that
/// the student handed in, or nothing where it was not kept. `shows_hidden`: hidden cases are released.
std::string format_student_page(const SubmissionResult& result, std::string_view source,
                                bool shows_hidden = false);

}  // namespace warpgrade
