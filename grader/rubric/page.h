// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace warpgrade {

/// docs/rubric.md: every key of rubrics and of course.yaml, made from what the readers read by.
std::string rubric_page();

}  // namespace warpgrade
