// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpgrade {

/// One repetition of one NVTX range in one process. The times are those of RangeTiming in
/// observe/trace.h; each round is a process of its own.
struct TimeSample {
  int round = 0;
  int repetition = 0;
  double kernel_ms = 0, busy_ms = 0, event_ms = 0, wall_ms = 0;
  bool accepted = true;
  std::string why_not = {};  ///< empty where it was accepted
  double copy_ms = 0;
  double outside_kernel_ms = 0;
  int64_t start_ns = 0, end_ns = 0;  ///< CLOCK_MONOTONIC

  bool operator==(const TimeSample&) const = default;
};

/// The samples of one program by NVTX range, in the order they were taken.
using RangeSamples = std::map<std::string, std::vector<TimeSample>>;

}  // namespace warpgrade
