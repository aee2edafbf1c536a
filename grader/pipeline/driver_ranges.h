// SPDX-License-Identifier: MIT
#pragma once

#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pipeline/baselines.h"
#include "pipeline/doubts.h"

namespace warpgrade {

/// How often each range is opened, and each output noted, under npy_io::kNoted and its name.
using RangeCounts = std::map<std::string, long>;

/// The ranges that a driver opens in each case, as runs of the model answer show. A program that opens more has ended the
/// driver's and works where other rules hold, or none.
class DriverRanges {
 public:
  /// Builds and runs the model answer in the background, unless a file of `cache`, which may be empty, tells for `key`.
  DriverRanges(const std::string& source, const std::string& key, const fs::path& cache,
               const std::vector<RunStep>& steps, const BaselineTools& tools);
  ~DriverRanges();

  /// Waits for it. Null where the model answer did not come to its end.
  const RangeCounts* in_case(const std::string& case_id) const;

 private:
  std::shared_future<std::map<std::string, RangeCounts>> counts_;
};

RangeCounts count_ranges(const Trace& trace);

/// About each of the `judged` ranges, where the trace has more ranges of a name than the driver opens.
Doubts doubts_of_ranges(const std::string& case_id, const Trace& trace, const RangeCounts& driver,
                        const std::set<std::string>& judged);

}  // namespace warpgrade
