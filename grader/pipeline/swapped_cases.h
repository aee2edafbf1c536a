// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "rubric/rubric.h"

namespace warpgrade {

/// Whether items that judge the case ask that the range computes an output of theirs. Where none does, the driver may itself
/// show the host what the device holds, as one does that reads matrices back which the program has uploaded.
bool asks_who_computes(const Rubric& rubric, const std::string& case_id, const std::string& range);

/// Whether the case is of the kind "swapped".
bool is_swapped(const Rubric& rubric, const std::string& case_id);

/// The cases that run a second time on other inputs (see other_inputs.h): those of the kind "swapped", and for each range that such a
/// case is about one of the other cases about it, which the key chooses. A program that is honest where it knows
/// that the device may hold other inputs, by the size for instance, or that crashes there, does not know all such cases.
std::set<std::string> swapped_cases(const Rubric& rubric, std::string_view key);

/// All that some key chooses.
std::set<std::string> all_that_may_be_swapped(const Rubric& rubric);

}  // namespace warpgrade
