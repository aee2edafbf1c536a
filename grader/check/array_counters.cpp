// SPDX-License-Identifier: MIT
#include "check/array_counters.h"

#include <algorithm>
#include <set>

#include "check/arrivals.h"

namespace warpgrade {
namespace {

using Memory = std::set<uint64_t>;  ///< where allocations begin

/// Where an array lay before it arrived so: the driver's copy is the latest of those that moved the same bytes.
Memory memory_of(const Arrival& arrival, const std::vector<Allocation>& allocations) {
  Memory memory;
  for (const ArrivedPart& part : arrival) {
    const ApiCall& copy = *part.sources->front().copy;
    const Allocation* from = allocation_at(allocations, copy.number("src"), copy.seq);
    if (from != nullptr) memory.insert(from->ptr);
  }
  return memory;
}

/// `memory`: null for all.
double sum_of(const std::string& name, const Launches& launches, const Memory* memory) {
  uint64_t sum = 0;
  for (const KernelLaunch* launch : launches) {
    for (const Touch& touch : launch->memory) {
      if (memory != nullptr && memory->count(touch.ptr) == 0) continue;
      sum += name == "writing_threads" ? touch.writers : touch.atomic_updates;
    }
  }
  return static_cast<double>(sum);
}

}  // namespace

std::optional<double> memory_counter(const Metric& metric, const CaseFacts& facts,
                                     const Launches& launches) {
  if (!facts.trace.is_counted()) return std::nullopt;
  if (metric.array.empty()) return sum_of(metric.name, launches, nullptr);
  const auto array = facts.outputs.find(metric.array);
  if (array == facts.outputs.end()) return std::nullopt;
  const std::vector<Allocation> allocations = allocations_of(facts.trace);
  std::optional<double> least;
  for (const Arrival& arrival : arrivals_of(array->second, facts.trace, metric.range)) {
    const Memory memory = memory_of(arrival, allocations);
    const double sum = sum_of(metric.name, launches, &memory);
    least = std::min(least.value_or(sum), sum);
  }
  return least;
}

}  // namespace warpgrade
