// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "rubric/rubric.h"

namespace warpgrade {

/// Every setting in force for the assignment, one per line, and where it comes from: the rubric,
/// course.yaml, or nobody (default).
std::string format_settings(const Rubric& rubric);

/// Each case: who sees it, its arguments, its input data and its devices.
std::string format_cases(const Rubric& rubric);

/// Each item of the grade and what it is judged by, in words.
std::string format_items(const Rubric& rubric);

}  // namespace warpgrade
