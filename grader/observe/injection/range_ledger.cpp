// SPDX-License-Identifier: MIT
#include "observe/injection/range_ledger.h"

#include <algorithm>
#include <iterator>

namespace warpgrade::injection {
namespace {

constexpr double kNsPerMs = 1e6;

double to_ms(int64_t ns) { return static_cast<double>(ns) / kNsPerMs; }

}  // namespace

void RangeLedger::ignore_stream(uint32_t context, uint32_t stream) {
  const std::lock_guard lock(mutex_);
  ignored_.insert({context, stream});
}

void RangeLedger::add(const DeviceWork& work) {
  const std::lock_guard lock(mutex_);
  if (ignored_.count({work.context, work.stream}) == 0) work_.push_back(work);
}

void RangeLedger::add(TimedRange range) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(std::move(range));
}

bool RangeLedger::has_work_of_all_ranges() {
  const std::lock_guard lock(mutex_);
  return std::all_of(ended_.begin(), ended_.end(), [&](const TimedRange& range) {
    return std::any_of(work_.begin(), work_.end(), [&](const DeviceWork& work) {
      return work.when.end_ns > range.when.start_ns;
    });
  });
}

std::vector<Json> RangeLedger::take_lines() {
  const std::lock_guard lock(mutex_);
  std::vector<Json> lines;
  for (const TimedRange& range : ended_) {
    lines.push_back(line_of(range));
    any_before_ = true;
    last_end_ns_ = range.when.end_ns;
  }
  ended_.clear();
  const auto is_past = [&](const DeviceWork& work) { return work.when.end_ns <= last_end_ns_; };
  if (any_before_) work_.erase(std::remove_if(work_.begin(), work_.end(), is_past), work_.end());
  return lines;
}

double RangeLedger::busy_ms(const Interval& window, bool kernels, bool transfers) const {
  std::vector<Interval> parts;
  for (const DeviceWork& work : work_) {
    const bool wanted = work.kind == WorkKind::kTransfer ? transfers : kernels;
    if (wanted) parts.push_back(within(work.when, window));
  }
  return to_ms(union_ns(std::move(parts)));
}

Json RangeLedger::line_of(const TimedRange& range) const {
  const Interval inside = {range.when.start_ns - kClockSlackNs, range.when.end_ns + kClockSlackNs};
  const Interval outside = {any_before_ ? last_end_ns_ + kClockSlackNs : INT64_MIN,
                            inside.start_ns};
  return {{"range", range.name},
          {"repetition", range.repetition},
          {"kernel_ms", busy_ms(inside, true, false)},
          {"copy_ms", busy_ms(inside, false, true)},
          {"busy_ms", busy_ms(inside, true, true)},
          {"event_ms", range.event_ms},
          {"wall_ms", to_ms(range.when.end_ns - range.when.start_ns)},
          {"outside_kernel_ms", busy_ms(outside, true, false)},
          {"start_ns", range.when.start_ns},
          {"end_ns", range.when.end_ns}};
}

}  // namespace warpgrade::injection
