// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/exec/launch.h"
#include "emulator/memory/device_memory.h"

namespace warpgrade::emulator {

/// Finds kernels of one graded range that read what kernels of another one computed: each range is asked to
/// do its own work. What a copy, a fill or the range's own kernels wrote since does not count.
class CarriedWork {
 public:
  /// By the allocation's first address: bytes that kernels of other ranges wrote last, and one of these ranges.
  struct Carried {
    uint64_t bytes = 0;
    std::string range;
  };
  using ByAllocation = std::map<uint64_t, Carried>;

  /// What there is to carry before a launch in `range`.
  ByAllocation before(const std::string& range, const DeviceMemory& memory) const;
  /// Notes the range of a launch. A finding where it read much of what was `there` before it.
  std::optional<Finding> after(const std::string& range, std::string_view kernel,
                               const std::vector<TouchedAllocation>& touched,
                               const ByAllocation& there);

 private:
  std::set<std::string> ranges_;  ///< in which kernels ran
};

/// That of the one machine. Hold its lock.
CarriedWork& carried_work();

}  // namespace warpgrade::emulator
