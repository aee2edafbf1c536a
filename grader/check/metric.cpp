// SPDX-License-Identifier: MIT
#include "check/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>

#include "check/by_curve.h"
#include "check/internal_copies.h"
#include "check/measured_speed.h"
#include "check/no_launch.h"
#include "check/on_device.h"
#include "check/outside.h"
#include "check/physics.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr long kWarpThreads = 32;

constexpr const char* kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
/// Atomics that return what they read count as loads.
constexpr const char* kAtomicSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum";
constexpr const char* kAtomicRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum";
/// Atomics that return nothing.
constexpr const char* kReductionSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum";
constexpr const char* kSharedAtomicConflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum";
/// Textures and surfaces read global memory, too, and no counter has their sectors.
constexpr const char* kTextureFetches = "ptx__inst_executed_op_texture.sum";
constexpr const char* kSurfaceAccesses = "ptx__inst_executed_op_surface.sum";
constexpr const char* kSharedLoadConflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
constexpr const char* kSharedStoreConflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
constexpr const char* kGlobalAtomics = "ptx__thread_inst_executed_op_global_atomic.sum";
constexpr const char* kSharedAtomics = "ptx__thread_inst_executed_op_shared_atomic.sum";
constexpr const char* kConstantAddresses = "ptx__addresses_mem_const_op_ld.sum";
constexpr const char* kConstantRequests = "ptx__requests_mem_const_op_ld.sum";

using Launches = std::vector<const KernelLaunch*>;

std::optional<double> sum(const Launches& launches, const std::string& name) {
  std::optional<double> total;
  for (const KernelLaunch* launch : launches) {
    const auto found = launch->metrics.find(name);
    if (found != launch->metrics.end()) total = total.value_or(0) + found->second;
  }
  return total;
}

/// All these counters together; nothing where no launch has the first.
std::optional<double> sum_of(const Launches& launches, std::initializer_list<const char*> names) {
  std::optional<double> total = sum(launches, *names.begin());
  for (const char* const* name = names.begin() + 1; total && name != names.end(); ++name)
    *total += sum(launches, *name).value_or(0);
  return total;
}

std::optional<double> ratio(std::optional<double> above, std::optional<double> below) {
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

double blocks_of(const Launches& launches) {
  double blocks = 0;
  for (const KernelLaunch* launch : launches)
    blocks += static_cast<double>(launch->grid[0] * launch->grid[1] * launch->grid[2]);
  return blocks;
}

long threads_of_block(const KernelLaunch& launch) {
  return launch.block[0] * launch.block[1] * launch.block[2];
}

double warps_of(const Launches& launches) {
  double warps = 0;
  for (const KernelLaunch* launch : launches) {
    const long threads = threads_of_block(*launch);
    warps += blocks_of({launch}) * static_cast<double>((threads + kWarpThreads - 1) / kWarpThreads);
  }
  return warps;
}

std::optional<double> threads_of(const Launches& launches) {
  if (launches.empty()) return std::nullopt;
  double threads = 0;
  for (const KernelLaunch* launch : launches)
    threads += blocks_of({launch}) * static_cast<double>(threads_of_block(*launch));
  return threads;
}

/// Nothing where no launch counted any of them.
std::optional<double> floating_point_additions(const Launches& launches) {
  std::optional<double> total;
  for (const char* op : {"fadd", "ffma", "dadd", "dfma"}) {
    const std::string name = fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", op);
    if (const std::optional<double> some = sum(launches, name)) total = total.value_or(0) + *some;
  }
  return total;
}

/// Launches of one kernel with the same arguments do the same, whatever their loop counts.
double different_launches(const Launches& launches) {
  std::set<std::pair<std::string, std::vector<std::string>>> different;
  for (const KernelLaunch* launch : launches) different.emplace(launch->kernel, launch->params);
  return static_cast<double>(different.size());
}

/// Nothing where a GPU ran the launches and counted none of their instructions.
std::optional<double> counted_multiplications(const Launches& launches) {
  const bool is_counted =
      std::any_of(launches.begin(), launches.end(),
                  [](const KernelLaunch* launch) { return !launch->metrics.empty(); });
  return is_counted ? std::optional(multiplications(launches)) : std::nullopt;
}

/// Whatever reads global memory.
std::optional<double> global_load_requests(const Launches& launches) {
  return sum_of(launches, {kLoadRequests, kAtomicRequests, kTextureFetches, kSurfaceAccesses});
}

std::optional<double> value_of(const std::string& name, const Launches& launches) {
  if (name == "sectors_per_global_load")
    return ratio(sum_of(launches, {kLoadSectors, kAtomicSectors}),
                 sum_of(launches, {kLoadRequests, kAtomicRequests}));
  if (name == "global_load_sectors") return sum_of(launches, {kLoadSectors, kAtomicSectors});
  if (name == "sectors_per_global_store")
    return ratio(sum(launches, kStoreSectors), sum(launches, kStoreRequests));
  if (name == "global_load_requests") return global_load_requests(launches);
  if (name == "global_loads_per_warp")
    return ratio(global_load_requests(launches), warps_of(launches));
  if (name == "global_stores_per_warp")
    return ratio(sum(launches, kStoreRequests), warps_of(launches));
  if (name == "global_atomics_per_block")
    return ratio(sum(launches, kGlobalAtomics), blocks_of(launches));
  if (name == "shared_atomics_per_block")
    return ratio(sum(launches, kSharedAtomics), blocks_of(launches));
  if (name == "floating_point_additions") return floating_point_additions(launches);
  if (name == "different_launches" && !launches.empty()) return different_launches(launches);
  // The shapes alone give it, whatever was counted.
  if (name == "launch__thread_count") return threads_of(launches);
  if (name == "addresses_per_constant_load")
    return ratio(sum(launches, kConstantAddresses), sum(launches, kConstantRequests));
  if (name == "multiplications_per_thread")
    return ratio(counted_multiplications(launches), threads_of(launches));
  if (name == "global_store_sectors")
    return sum_of(launches, {kStoreSectors, kAtomicSectors, kReductionSectors});
  if (name == "shared_load_conflicts")
    return sum_of(launches, {kSharedLoadConflicts, kSharedAtomicConflicts});
  if (name == "shared_store_conflicts") return sum(launches, kSharedStoreConflicts);
  return sum(launches, name);
}

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

Sentence beyond(const char* id, const Metric& metric, double value, double bound) {
  return say(id, {counter(metric.name),
                  {"value", fmt::format("{:.4g}", value)},
                  {"wanted", fmt::format("{:g}", bound)}});
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
  for (const KernelLaunch* launch : launches_in(trace, "")) {
    if (launch->range == kNoRange)
      outside.push_back(launch);
    else if (baseline_ms.count(launch->range) == 0)
      elsewhere.push_back(launch);
  }
  const std::optional<RangeTime> ours = time_of(outside), idle = time_of(elsewhere);
  const auto drivers = baseline_ms.find(kNoRange);
  const double allowed_ms = drivers == baseline_ms.end() ? 0 : drivers->second;
  return (ours ? std::max(0.0, ours->ms - kDriverSlack * allowed_ms) : 0) + (idle ? idle->ms : 0);
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

/// Fetches that read global memory and that this counter, of which there must not be too many, does not see.
double unseen_reads(const Metric& metric, const Launches& launches) {
  const bool counts_sectors =
      metric.name == "sectors_per_global_load" || metric.name == "global_load_sectors";
  if (!counts_sectors || !metric.at_most) return 0;
  return sum(launches, kTextureFetches).value_or(0) + sum(launches, kSurfaceAccesses).value_or(0);
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
  } else {
    value = value_of(metric.name, launches);
  }
  if (!value && metric.source != CounterSource::kHardware && !facts.trace.is_counted())
    return Judgement::waits(say("waits.counted"));
  if (!value)
    return Judgement::failed(say("counter.none", {{"range", metric.range}, counter(metric.name)}));
  if (Sentence broken = bound_breach(metric, *value, facts.values); !broken.empty())
    return Judgement::failed(std::move(broken));
  if (const double unseen = unseen_reads(metric, launches); unseen > 0) {
    Judgement judgement = Judgement::waits(
        say("waits.unseen_reads", {counter(metric.name), {"fetches", short_number(unseen)}}));
    judgement.flags.push_back(
        {"reads by textures or surfaces", fmt::format("{} fetches in {}, which {} does not count",
                                                      unseen, metric.range, metric.name)});
    return judgement;
  }
  if (!item.curve) return {};
  return by_curve(*item.curve, *value,
                  say("counter.value", {counter(metric.name), {"value", short_number(*value)}}));
}

/// Why no such device can be as fast as the model says; empty where one can.
std::string too_fast(const Item& item, const CaseFacts& facts, const Launches& launches,
                     double ms) {
  const double launch_ms = kLeastLaunchMs * static_cast<double>(launches.size());
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
  const Launches outside = launches_outside(facts.trace);
  if (outside.empty() || metric.range.empty()) return judgement;
  // What ran outside costs, and earns nothing.
  launches.insert(launches.end(), outside.begin(), outside.end());
  Judgement charged = judge_counter(item, facts, launches);
  return charged.fraction < judgement.fraction ? charged : judgement;
}

Judgement judge_performance(const Item& item, const CaseFacts& facts) {
  const Metric& metric = *item.metric;
  const Launches launches = launches_in(facts.trace, metric.range);
  if (launches.empty()) return Judgement::failed(why_no_launch(facts.trace, metric.range));
  if (facts.measured) return judge_measured(item, *facts.measured);
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
  for (auto& [range, ms] : times_ms) ms += internal_copies_ms(trace, range);
  return times_ms;
}

}  // namespace warpgrade
