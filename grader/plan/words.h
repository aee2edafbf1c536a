// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "rubric/rubric.h"

namespace warpgrade {

/// What a rule demands, in the language: a sentence without its full stop, with names and formulas in
/// backticks.
std::string describe(const Rule& rule, const std::string& language = "en");

/// The same of a metric.
std::string describe(const Metric& metric, const std::string& language = "en");

/// All that an item demands of a program, a sentence each. It names no case.
std::vector<std::string> demands_of(const Item& item, const std::string& language = "en");

/// Every setting in force for the assignment, one per line, and where it comes from: the rubric,
/// course.yaml, or nobody (default).
std::string format_settings(const Rubric& rubric);

/// Each case: who sees it, its arguments, its input data and its devices.
std::string format_cases(const Rubric& rubric);

/// Each item of the grade and what it is judged by, in words.
std::string format_items(const Rubric& rubric);

}  // namespace warpgrade
