// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "observe/injection/device_work.h"
#include "observe/injection/recorder.h"

namespace warpgrade::injection {

/// How far CUPTI's conversion of a device's times to the host's clock may be off. Between two ranges
/// lies more than that, in which the device idles or does our own work.
constexpr int64_t kClockSlackNs = 20'000;

/// A range that has ended, as the host and two events saw it.
struct TimedRange {
  std::string name;
  int repetition = 0;
  Interval when;
  double event_ms = 0;
};

/// Brings what devices did and the ranges together by time, whichever thread or stream the work was
/// given from. Records may come in any order and late, but all of a range before its line is taken.
class RangeLedger {
 public:
  /// The library's own work goes into a stream of its own, which is not counted.
  void ignore_stream(uint32_t context, uint32_t stream);
  void add(const DeviceWork& work);
  void add(TimedRange range);
  /// Whether there is work since each range that ended began: where not, records may be missing yet.
  bool has_work_of_all_ranges();
  /// The fields of a "timing" line for each range that ended since the last call.
  std::vector<Json> take_lines();

 private:
  Json line_of(const TimedRange& range) const;
  /// How long work of the wanted kinds went on in the window.
  double busy_ms(const Interval& window, bool kernels, bool transfers) const;

  std::mutex mutex_;
  std::set<std::pair<uint32_t, uint32_t>> ignored_;
  std::vector<DeviceWork> work_;
  std::vector<TimedRange> ended_;
  bool any_before_ = false;
  int64_t last_end_ns_ = 0;
};

}  // namespace warpgrade::injection
