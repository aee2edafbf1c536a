// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "rubric/rubric.h"

namespace warpgrade {

/// The items of a rubric as the table that a handout in the language shows.
std::string rubric_table(const Rubric& rubric, const std::string& language = "en");

/// `handout` with that table between its lines `<!-- rubric:begin -->` and `<!-- rubric:end -->`. An
/// Error where it does not have both.
Result<std::string> with_rubric_table(std::string_view handout, const Rubric& rubric,
                                      const std::string& language = "en");

}  // namespace warpgrade
