// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>

#include "report/result.h"

namespace warpgrade {

/// A few of the result's cases in which every item is lost that it loses by itself, by a greedy cover: each step takes
/// the case that shows most items.
std::set<std::string> telling_cases(const SubmissionResult& result);

}  // namespace warpgrade
