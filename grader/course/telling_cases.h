// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>

#include "report/result.h"

namespace warpgrade {

/// A few of the result's cases in which every item is lost that it loses by itself, by a greedy cover: each step takes
/// the case that shows most items for its time. `wall_ms` is how long the cases ran; one that it lacks took no time.
std::set<std::string> telling_cases(const SubmissionResult& result,
                                    const std::map<std::string, long>& wall_ms);

}  // namespace warpgrade
