// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "observe/injection/device_work.h"
#include "observe/injection/recorder.h"

namespace warpgrade::injection {

/// How far CUPTI's conversion of a device's times to the host's clock may be off where no marks tell.
/// Between two ranges lies more than that, in which the device idles or does our own work.
constexpr int64_t kClockSlackNs = 20'000;

/// A range that has ended, as the host and two events saw it.
struct TimedRange {
  std::string name;
  int repetition = 0;
  Interval when;
  double event_ms = 0;
  uint32_t mark =
      0;  ///< The mark of the fill right before it; the fill right after has the next one. 0: none.
};

/// Brings what devices did and the ranges together by time, whichever thread or stream the work was given
/// from; records may come late and in any order. CUPTI's conversion of a device's times to the host's
/// clock drifted in one process of seventy on an H200, so a range is bounded by the library's own fills
/// before and after it, which have the same error, and by the host's clock only where these are missing.
class RangeLedger {
 public:
  /// The library's own work goes into a stream of its own, which is not counted.
  void ignore_stream(uint32_t context, uint32_t stream);
  void add(const DeviceWork& work);
  void add(TimedRange range);
  /// Whether the mark after each range that ended is there, or work since the range began: where not,
  /// records may be missing yet.
  bool has_records_of_all_ranges();
  /// The fields of a "timing" line for each range that ended since the last call.
  std::vector<Json> take_lines();
  /// Whether, in a quarter of the ranges taken or more, less time passed between the marks by CUPTI than between
  /// two events within them: CUPTI converts to a clock that is slower than the device's.
  bool has_slow_clock();

 private:
  /// An end of a range, by the host's clock and by that of the context which was marked.
  struct Bound {
    int64_t host_ns = INT64_MIN, device_ns = 0;
    std::optional<uint32_t> context;

    int64_t in(uint32_t other) const { return context == other ? device_ns : host_ns; }
  };

  Bound start_of(const TimedRange& range) const;
  Bound end_of(const TimedRange& range) const;
  Json line_of(const TimedRange& range) const;
  /// What began between the two, each sort of work once with its number.
  Json work_between(const Bound& from, const Bound& to) const;
  void compare_clocks(const TimedRange& range);
  /// How long work of the wanted kinds went on between the two.
  double busy_ms(const Bound& from, const Bound& to, bool kernels, bool transfers) const;

  std::mutex mutex_;
  std::set<std::pair<uint32_t, uint32_t>> ignored_;
  std::vector<DeviceWork> work_;
  std::map<uint32_t, DeviceWork> marks_;
  std::vector<TimedRange> ended_;
  Bound last_end_;
  int compared_ = 0;  ///< Ranges whose clocks were compared.
  int slow_ = 0;      ///< Counts those where CUPTI's was slow.
};

}  // namespace warpgrade::injection
