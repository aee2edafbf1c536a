// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "rubric/rubric.h"

namespace warpgrade {

/// Those of derived_counters() that are counted allocation by allocation.
const std::vector<std::string>& memory_counters();
bool is_memory_counter(const Metric& metric);

/// The output on whose memory alone such a counter is counted; empty: on all memory. A metric is over it, as a speedup is
/// over a baseline.
inline const std::string& array_of(const Metric& metric) { return metric.over; }

}  // namespace warpgrade
