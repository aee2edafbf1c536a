// SPDX-License-Identifier: MIT
#include "observe/injection/range_ledger.h"

#include <algorithm>
#include <iterator>

#include "observe/injection/kernel_facts.h"

namespace warpgrade::injection {
namespace {

constexpr double kNsPerMs = 1e6;
// Shorter times tell nothing about clocks.
constexpr double kLeastEventMs = 0.1;
constexpr double kSlow = 0.8;
constexpr int kOneInSlow = 4;

double to_ms(int64_t ns) { return static_cast<double>(ns) / kNsPerMs; }

Json to_json(const WorkShape& shape) {
  if (!shape.mangled.empty())
    return {{"kernel", demangled(shape.mangled)},
            {"grid", shape.grid},
            {"block", shape.block},
            {"dynamic_shared_bytes", shape.dynamic_shared_bytes}};
  return {{"direction", shape.direction}, {"bytes", shape.bytes}};
}

}  // namespace

void RangeLedger::ignore_stream(uint32_t context, uint32_t stream) {
  const std::lock_guard lock(mutex_);
  ignored_.insert({context, stream});
}

void RangeLedger::add(const DeviceWork& work) {
  const std::lock_guard lock(mutex_);
  if (ignored_.count({work.context, work.stream}) == 0) {
    work_.push_back(work);
  } else if (work.mark != 0) {
    marks_[work.mark] = work;
  }
}

void RangeLedger::add(TimedRange range) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(std::move(range));
}

bool RangeLedger::has_records_of_all_ranges() {
  const std::lock_guard lock(mutex_);
  return std::all_of(ended_.begin(), ended_.end(), [&](const TimedRange& range) {
    if (range.mark != 0) return marks_.count(range.mark + 1) != 0;
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
    compare_clocks(range);
    last_end_ = end_of(range);
    // And those left over from ranges before it.
    marks_.erase(marks_.begin(), marks_.upper_bound(range.mark == 0 ? 0 : range.mark + 1));
  }
  ended_.clear();
  const auto is_past = [&](const DeviceWork& work) {
    return work.when.end_ns <= last_end_.in(work.context);
  };
  work_.erase(std::remove_if(work_.begin(), work_.end(), is_past), work_.end());
  return lines;
}

bool RangeLedger::has_slow_clock() {
  const std::lock_guard lock(mutex_);
  return slow_ > 0 && kOneInSlow * slow_ >= compared_;
}

void RangeLedger::compare_clocks(const TimedRange& range) {
  const Bound start = start_of(range);
  if (!start.context || range.event_ms < kLeastEventMs) return;
  ++compared_;
  slow_ += to_ms(end_of(range).device_ns - start.device_ns) < kSlow * range.event_ms;
}

RangeLedger::Bound RangeLedger::start_of(const TimedRange& range) const {
  Bound bound{range.when.start_ns - kClockSlackNs, 0, std::nullopt};
  const auto before = marks_.find(range.mark), after = marks_.find(range.mark + 1);
  if (before == marks_.end() || after == marks_.end()) return bound;
  bound.device_ns = before->second.when.end_ns;
  bound.context = before->second.context;
  return bound;
}

RangeLedger::Bound RangeLedger::end_of(const TimedRange& range) const {
  Bound bound = start_of(range);
  bound.host_ns = range.when.end_ns + kClockSlackNs;
  if (bound.context) bound.device_ns = marks_.at(range.mark + 1).when.start_ns;
  return bound;
}

double RangeLedger::busy_ms(const Bound& from, const Bound& to, bool kernels,
                            bool transfers) const {
  std::vector<Interval> parts;
  for (const DeviceWork& work : work_) {
    const bool wanted = work.kind == WorkKind::kTransfer ? transfers : kernels;
    if (wanted) parts.push_back(within(work.when, {from.in(work.context), to.in(work.context)}));
  }
  return to_ms(union_ns(std::move(parts)));
}

Json RangeLedger::work_between(const Bound& from, const Bound& to) const {
  std::map<std::string, std::pair<Json, long>> pieces;
  for (const DeviceWork& work : work_) {
    const int64_t began = work.when.start_ns;
    if (!work.shape.is_known() || began < from.in(work.context) || began >= to.in(work.context))
      continue;
    Json piece = to_json(work.shape);
    auto& [kept, count] = pieces[piece.dump()];
    kept = std::move(piece);
    ++count;
  }
  Json list = Json::array();
  for (auto& [text, piece] : pieces) {
    piece.first["count"] = piece.second;
    list.push_back(std::move(piece.first));
  }
  return list;
}

Json RangeLedger::line_of(const TimedRange& range) const {
  const Bound start = start_of(range), end = end_of(range);
  Json line = {{"range", range.name},
               {"repetition", range.repetition},
               {"kernel_ms", busy_ms(start, end, true, false)},
               {"copy_ms", busy_ms(start, end, false, true)},
               {"busy_ms", busy_ms(start, end, true, true)},
               {"event_ms", range.event_ms},
               {"wall_ms", to_ms(range.when.end_ns - range.when.start_ns)},
               {"outside_kernel_ms", busy_ms(last_end_, start, true, false)},
               {"start_ns", range.when.start_ns},
               {"end_ns", range.when.end_ns}};
  if (Json work = work_between(start, end); !work.empty()) line["work"] = std::move(work);
  return line;
}

}  // namespace warpgrade::injection
