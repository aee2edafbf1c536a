// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/exec/launch.h"
#include "emulator/runtime/record/trace.h"

namespace warpgrade::emulator {

/// The sectors of 32 bytes that perfect accesses to global memory touch: no fewer than one a request.
double fewest_sectors(double bytes, double requests);

/// What a launch did on each line of the source, as a trace holds it: {"file", "line", "warps", "threads"}, and where
/// the line did such a thing "global_ld", "global_st", "shared_ld", "shared_st": [requests, transfers, the fewest
/// transfers that would do], and "branches": [all, divergent]; and "ms", its part of the modelled time. A transfer is a sector, or a turn of the banks.
Json lines_record(const std::vector<LineMetrics>& lines);

/// Keeps the lines of a program that launches without end from filling its record.
class LineRecords {
 public:
  static constexpr uint64_t kMostLaunches = 32;  ///< For one kernel.
  static constexpr size_t kMostLines = 8192;     ///< For all launches together.

  /// Whether the record takes lines of one more launch of the kernel.
  bool wants(const std::string& mangled) const;
  /// lines_record() of a launch that it wants, which then counts; null where the lines are too many.
  Json take(const std::string& mangled, const std::vector<LineMetrics>& lines);

 private:
  std::map<std::string, uint64_t> launches_;
  size_t lines_ = 0;
};

}  // namespace warpgrade::emulator
