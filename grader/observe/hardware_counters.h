// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// One of our counters over the launches of a range. Neither value nor reason: no launch did
/// anything that it counts.
struct CounterValue {
  std::optional<double> value;
  std::string why_not;
};

/// By our stable names.
using CounterValues = std::map<std::string, CounterValue>;

/// ncu's metrics that the counter needs on a GPU of this compute capability; empty where there is
/// no such counter.
std::vector<std::string> metrics_for(const std::string& counter, int major);

/// Reads what ncu wrote for the launches of one range. What it could not measure has a reason, and
/// is never 0.
CounterValues parse_counters(const std::vector<std::string>& counters, int major,
                             std::string_view log);

/// `program` as ncu runs it, to count in the launches of one NVTX range; its table goes to `log`.
Command counter_command(const fs::path& ncu, const std::vector<std::string>& counters, int major,
                        const std::string& range, Command program, const fs::path& log);

/// Runs `program` under ncu on a GPU of this compute capability.
CounterValues run_counters(const Sandbox& sandbox, const fs::path& ncu,
                           const std::vector<std::string>& counters, int major,
                           const std::string& range, const Command& program, const fs::path& log);

}  // namespace warpgrade
