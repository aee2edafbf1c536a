// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "observe/timing/sample.h"

namespace warpgrade {

/// What `gpu-probe watch` says of the GPU at one moment.
struct ClockReading {
  int64_t at_ns = 0;     ///< CLOCK_MONOTONIC
  uint64_t reasons = 0;  ///< NVML's clock event reasons
  double sm_mhz = 0, memory_mhz = 0, temperature_c = 0, power_mw = 0;
};

/// The GPU's clocks over a measurement; zeros where nobody watched.
struct ClockSummary {
  int readings = 0;
  double least_sm_mhz = 0, median_sm_mhz = 0, most_sm_mhz = 0;
  double median_memory_mhz = 0, most_temperature_c = 0, most_power_w = 0;
  double throttled_part = 0;     ///< of the readings: hot, or slowed down by the hardware
  double power_capped_part = 0;  ///< of the readings: as fast as the power limit allows

  bool operator==(const ClockSummary&) const = default;
};

/// Reads lines of "<ns> <reasons, hex> <SM MHz> <memory MHz> <C> <mW>". What is no such line, like
/// the unfinished last one of a killed process, is left out.
std::vector<ClockReading> parse_watch(std::string_view text);

/// Why a sample does not count, or empty: the GPU was slowed down by heat or by its hardware while it
/// was taken, or at the reading next to it.
std::string why_throttled(const TimeSample& sample, const std::vector<ClockReading>& readings);

ClockSummary summary_of(const std::vector<ClockReading>& readings);

}  // namespace warpgrade
