// SPDX-License-Identifier: MIT
#include "emulator/runtime/record/carried_work.h"

#include <algorithm>

#include "emulator/runtime/record/findings.h"
#include "emulator/sentences/say.h"

namespace warpgrade::emulator {
namespace {

/// Locks, counters and flags may live on from one range to the next.
constexpr uint64_t kLeastBytes = 1024;

CarriedWork::Carried carried_in(const Allocation& allocation, const std::string& range,
                                const DeviceMemory& memory) {
  OriginRuns origins;
  memory.add_origins(allocation.begin, allocation.size, origins);
  CarriedWork::Carried carried;
  for (const OriginRun& run : origins.runs()) {
    const Origin& origin = memory.origins()[run.origin];
    if (origin.kind != OriginKind::kernel || origin.range.empty() || origin.range == range)
      continue;
    carried.bytes += run.bytes;
    carried.range = origin.range;
  }
  return carried;
}

}  // namespace

CarriedWork::ByAllocation CarriedWork::before(const std::string& range,
                                              const DeviceMemory& memory) const {
  ByAllocation there;
  // Most cases have one range, and then there is nothing to look for.
  if (range.empty() || ranges_.size() == ranges_.count(range)) return there;
  for (const Allocation& allocation : memory.allocations()) {
    Carried carried = carried_in(allocation, range, memory);
    if (carried.bytes >= kLeastBytes) there.emplace(allocation.begin, std::move(carried));
  }
  return there;
}

std::optional<Finding> CarriedWork::after(const std::string& range, std::string_view kernel,
                                          const std::vector<TouchedAllocation>& touched,
                                          const ByAllocation& there) {
  if (!range.empty()) ranges_.insert(range);
  std::optional<Finding> finding;
  for (const TouchedAllocation& one : touched) {
    const auto found = there.find(one.ptr);
    if (!one.read || found == there.end() || finding) continue;
    finding = finding_of(
        say("carried.memory", {{"range", found->second.range}, {"bytes", found->second.bytes}}));
    finding->kernel = kernel;
  }
  return finding;
}

CarriedWork& carried_work() {
  static CarriedWork work;
  return work;
}

}  // namespace warpgrade::emulator
