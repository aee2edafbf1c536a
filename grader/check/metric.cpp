// SPDX-License-Identifier: MIT
#include "check/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "check/array_counters.h"
#include "check/by_curve.h"
#include "check/counter_value.h"
#include "check/internal_copies.h"
#include "check/measured_speed.h"
#include "check/no_launch.h"
#include "check/outside.h"
#include "check/physics.h"
#include "rubric/memory_counters.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

CounterValue hardware_value(const Metric& metric, const CaseFacts& facts) {
  const auto range = facts.hardware.find(metric.range);
  if (range == facts.hardware.end()) return {std::nullopt, "no GPU"};
  const auto found = range->second.find(metric.name);
  return found == range->second.end() ? CounterValue{std::nullopt, "it was not asked for"}
                                      : found->second;
}

Result<double> number_of(const Bound& bound, const Expression::Values& values) {
  if (const double* number = std::get_if<double>(&bound)) return *number;
  const Result<long> value = std::get<Expression>(bound).value(values);
  if (!value) return value.error();
  return static_cast<double>(*value);
}

/// Sums in full, so that a reader sees by how much one passes a bound; means in four digits.
std::string counted(double value) {
  constexpr double kLongest = 1e15;
  const bool is_whole = value == std::trunc(value) && std::abs(value) < kLongest;
  return is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

Sentence beyond(const char* id, const Metric& metric, double value, double bound) {
  return say(id, {counter(metric.name), {"value", counted(value)}, {"wanted", counted(bound)}});
}

/// What `value` breaks of the metric's bounds, or empty.
Sentence bound_breach(const Metric& metric, double value, const Expression::Values& values) {
  if (metric.at_most) {
    const Result<double> most = number_of(*metric.at_most, values);
    if (!most) return uncomputable(most.error());
    if (!(value <= *most)) return beyond("counter.too_large", metric, value, *most);
  }
  if (metric.at_least) {
    const Result<double> least = number_of(*metric.at_least, values);
    if (!least) return uncomputable(least.error());
    if (!(value >= *least)) return beyond("counter.too_small", metric, value, *least);
  }
  return {};
}

/// The range of what ran before, after or beside the graded calls.
constexpr const char* kNoRange = "";
// A driver's own kernels may take a little longer beside other ones.
constexpr double kDriverSlack = 1.1;

struct RangeTime {
  double ms = 0;
  bool modelled = false;
};

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

std::string outside_text(double outside_ms) {
  return outside_ms == 0 ? "" : say("speed.outside", {{"ms", short_number(outside_ms)}}).text;
}

std::optional<RangeTime> time_of(const Launches& launches) {
  RangeTime time;
  for (const KernelLaunch* launch : launches) {
    if (!launch->time_ms) return std::nullopt;
    time.ms += launch->time_ms->value;
    time.modelled = time.modelled || launch->time_ms->source != "measured";
  }
  return time;
}

/// Work before or after the timed call, or of a kernel that a constructor starts, beyond what the
/// baseline has there: that is the driver's own. In a range where the baseline, a program with the same driver, runs
/// nothing, there is nothing to run.
double charged_outside_ms(const Trace& trace, const std::map<std::string, double>& baseline_ms) {
  Launches outside, elsewhere;
  for (const KernelLaunch* launch : launches_run_in(trace, "")) {
    if (launch->range == kNoRange)
      outside.push_back(launch);
    else if (baseline_ms.count(launch->range) == 0)
      elsewhere.push_back(launch);
  }
  const std::optional<RangeTime> ours = time_of(outside), idle = time_of(elsewhere);
  const auto drivers = baseline_ms.find(kNoRange);
  const double allowed_ms = drivers == baseline_ms.end() ? 0 : drivers->second;
  const double outside_ms = (ours ? ours->ms : 0) + internal_copies_ms(trace, kNoRange);
  return std::max(0.0, outside_ms - kDriverSlack * allowed_ms) + (idle ? idle->ms : 0);
}

/// What launches outside the graded calls took. A baseline tells more: see charged_outside_ms().
double time_outside_ms(const Item& item, const CaseFacts& facts) {
  if (item.metric->range.empty()) return 0;
  const std::optional<RangeTime> outside = time_of(launches_outside(facts.trace));
  return outside ? outside->ms : 0;
}

std::string device_of(const Trace& trace, const KernelLaunch& launch) {
  const auto index = static_cast<size_t>(launch.device);
  return index < trace.devices.size() ? trace.devices[index].name : "this device";
}

Judgement judge_speedup(const Item& item, const CaseFacts& facts, const RangeTime& time,
                        const Sentence& source) {
  const Metric& metric = *item.metric;
  const auto baseline = facts.baselines.find(metric.over);
  if (baseline == facts.baselines.end())
    return Judgement::waits(
        say("speed.at_home",
            {{"ms", short_number(time.ms)}, {"source", source}, {"baseline", metric.over}}));
  const auto ours = [&](Sentence why) {
    Judgement judgement = Judgement::failed(std::move(why));
    judgement.system_error = true;
    return judgement;
  };
  if (!baseline->second)
    return ours(say("speed.baseline",
                    {{"baseline", metric.over}, {"why", baseline->second.error().message}}));
  const auto base_ms = baseline->second->find(metric.range);
  if (base_ms == baseline->second->end())
    return ours(say("speed.baseline_idle", {{"baseline", metric.over}, {"range", metric.range}}));
  const double outside_ms = charged_outside_ms(facts.trace, *baseline->second);
  const double total_ms = time.ms + outside_ms;
  const double speedup = base_ms->second / total_ms;
  return by_curve(*item.curve, speedup,
                  say("speed.modelled", {{"speedup", fmt::format("{:.3g}", speedup)},
                                         {"baseline", metric.over},
                                         {"ours", short_number(total_ms)},
                                         {"outside", outside_text(outside_ms)},
                                         {"theirs", short_number(base_ms->second)},
                                         {"source", source}}));
}

Judgement judge_absolute(const Item& item, const CaseFacts& facts, double ms) {
  const Metric& metric = *item.metric;
  if (metric.name == "time_ms")
    return by_curve(*item.curve, ms, say("speed.time", {{"ms", short_number(ms)}}));
  const Result<long> work = metric.work->value(facts.values);
  if (!work) return Judgement::failed(uncomputable(work.error()));
  const bool bytes = metric.name == "gb_per_s";
  const double rate =
      static_cast<double>(*work) / (bytes ? kBytesPerGb : kFlopPerGflop) / (ms / 1e3);
  return by_curve(*item.curve, rate,
                  say("speed.rate", {{"rate", short_number(rate)},
                                     {"unit", bytes ? "GB/s" : "GFLOP/s"},
                                     {"ms", short_number(ms)}}));
}

/// Accesses to global memory that this counter, of which there must not be too many, does not see.
double unseen_by(const Metric& metric, const Launches& launches) {
  return metric.at_most ? unseen_accesses(metric.name, launches) : 0;
}

/// By the counter's value over these launches.
Judgement judge_counter(const Item& item, const CaseFacts& facts, const Launches& launches) {
  const Metric& metric = *item.metric;
  std::optional<double> value;
  if (metric.source == CounterSource::kHardware) {
    const CounterValue counted = hardware_value(metric, facts);
    if (!counted.why_not.empty())
      return Judgement::waits(say("waits.tools", {{"why", counted.why_not}}));
    value = counted.value;
  } else if (is_memory_counter(metric)) {
    value = memory_counter(metric, facts, launches);
  } else {
    value =
        metric.at_most ? largest_value_of(metric.name, launches) : value_of(metric.name, launches);
  }
  if (!value && metric.source != CounterSource::kHardware && !facts.trace.is_counted())
    return Judgement::waits(say("waits.counted"));
  if (!value)
    return Judgement::failed(say("counter.none", {{"range", metric.range}, counter(metric.name)}));
  if (Sentence broken = bound_breach(metric, *value, facts.values); !broken.empty()) {
    // Launches that failed are what the count lacks.
    Sentence failed =
        broken.id == "counter.too_small" ? why_failed(facts.trace, metric.range) : Sentence();
    return Judgement::failed(failed.empty() ? std::move(broken) : std::move(failed));
  }
  if (const double unseen = unseen_by(metric, launches); unseen > 0) {
    Judgement judgement = Judgement::waits(
        say("waits.unseen_reads", {counter(metric.name), {"fetches", short_number(unseen)}}));
    judgement.flags.push_back(
        {"accesses by textures, surfaces, bulk copies or constant memory",
         fmt::format("{} in {}, which {} does not count", unseen, metric.range, metric.name)});
    return judgement;
  }
  if (!item.curve) return {};
  return by_curve(*item.curve, *value,
                  say("counter.value", {counter(metric.name), {"value", short_number(*value)}}));
}

/// Why no such device can be as fast as the model says; empty where one can.
std::string too_fast(const Item& item, const CaseFacts& facts, const Launches& launches,
                     double ms) {
  const double launch_ms = emulator::kLeastWorkMs * static_cast<double>(launches.size());
  if (ms < launch_ms)
    return fmt::format("{} ms, but {} launches take {} ms or more", short_number(ms),
                       launches.size(), short_number(launch_ms));
  const emulator::DeviceModel* const model = model_of(facts.trace, launches.front()->device);
  if (model == nullptr || !item.metric->least_bytes) return "";
  const Result<long> bytes = item.metric->least_bytes->value(facts.values);
  if (!bytes) return "";
  const double least_ms = static_cast<double>(*bytes) / model->bytes_per_ms();
  if (ms >= kFloorPart * least_ms) return "";
  return fmt::format("{} ms, but on {} {} bytes at no more than {:.0f} GB/s take {} ms",
                     short_number(ms), device_of(facts.trace, *launches.front()), *bytes,
                     model->bytes_per_ms() / 1e6, short_number(least_ms));
}

}  // namespace

Judgement judge_efficiency(const Item& item, const CaseFacts& facts) {
  const Metric& metric = *item.metric;
  Launches launches = launches_in(facts.trace, metric.range);
  if (launches.empty()) return Judgement::failed(why_no_launch(facts.trace, metric.range));
  Judgement judgement = judge_counter(item, facts, launches);
  const Launches more = launches_charged(facts.trace, metric.range);
  if (more.empty()) return judgement;
  // What ran outside, or to a fault, costs, and earns nothing.
  launches.insert(launches.end(), more.begin(), more.end());
  Judgement charged = judge_counter(item, facts, launches);
  return charged.fraction < judgement.fraction ? charged : judgement;
}

Judgement judge_performance(const Item& item, const CaseFacts& facts) {
  const Metric& metric = *item.metric;
  if (launches_in(facts.trace, metric.range).empty())
    return Judgement::failed(why_no_launch(facts.trace, metric.range));
  if (facts.measured) return judge_measured(item, *facts.measured);
  const Launches launches = launches_run_in(facts.trace, metric.range);
  std::optional<RangeTime> time = time_of(launches);
  if (!time || time->ms <= 0) return Judgement::waits(say("waits.not_timed"));
  time->ms += internal_copies_ms(facts.trace, metric.range);
  if (time->modelled && item.without_gpu == WithoutGpu::kPending)
    return Judgement::waits(say("waits.for_gpu"));
  const double total_ms = time->ms + time_outside_ms(item, facts);
  const std::string floor = time->modelled ? too_fast(item, facts, launches, total_ms) : "";
  if (!floor.empty()) {
    Judgement judgement = Judgement::waits(say("waits.too_fast", {{"evidence", floor}}));
    judgement.flags.push_back({"faster than this device can be", floor});
    return judgement;
  }
  const Sentence source = say(time->modelled ? "source.modelled" : "source.measured",
                              {{"gpu", device_of(facts.trace, *launches.front())}});
  Judgement judgement = metric.name == "speedup" ? judge_speedup(item, facts, *time, source)
                                                 : judge_absolute(item, facts, total_ms);
  judgement.provisional = time->modelled;
  return judgement;
}

std::map<std::string, double> times_by_range(const Trace& trace) {
  std::map<std::string, double> times_ms;
  std::set<std::string> untimed;
  for (const KernelLaunch* launch : launches_in(trace, "")) {
    if (launch->time_ms) {
      times_ms[launch->range] += launch->time_ms->value;
    } else {
      untimed.insert(launch->range);
    }
  }
  for (const std::string& range : untimed) times_ms.erase(range);
  if (internal_copies_ms(trace, kNoRange) > 0) times_ms.try_emplace(kNoRange, 0);
  for (auto& [range, ms] : times_ms) ms += internal_copies_ms(trace, range);
  return times_ms;
}

}  // namespace warpgrade
