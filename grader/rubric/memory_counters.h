// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "rubric/rubric.h"

namespace warpgrade {

/// Those of derived_counters() that are counted allocation by allocation.
const std::vector<std::string>& memory_counters();
bool is_memory_counter(const Metric& metric);

}  // namespace warpgrade
