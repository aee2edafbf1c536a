// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "check/counter_value.h"
#include "check/judgement.h"
#include "rubric/rubric.h"

namespace warpgrade {

/// What the launches did to the memory that the metric's array came from, or to all memory where it names no array. Nothing
/// where the array did not come from a device, or where a GPU ran the launches and counted nothing.
std::optional<double> memory_counter(const Metric& metric, const CaseFacts& facts,
                                     const Launches& launches);

}  // namespace warpgrade
