// SPDX-License-Identifier: MIT
#include "rubric/memory_counters.h"

#include <algorithm>

namespace warpgrade {

const std::vector<std::string>& memory_counters() {
  static const std::vector<std::string> names = {"atomic_updates", "writing_threads"};
  return names;
}

bool is_memory_counter(const Metric& metric) {
  const std::vector<std::string>& names = memory_counters();
  return std::find(names.begin(), names.end(), metric.name) != names.end();
}

}  // namespace warpgrade
