// SPDX-License-Identifier: MIT
#include "report/kernel_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sentences/words.h"

namespace warpgrade {
namespace {

constexpr double kSectorBytes = 32, kWarpLanes = 32;

void add_global(const KernelSum& kernel, const char* operation, const char* label,
                const Words& words, std::vector<Gauge>& gauges) {
  const auto sum = [&](const char* format) {
    return kernel.of(fmt::format(fmt::runtime(format), operation));
  };
  const double requests = sum("l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum");
  const double sectors = sum("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum");
  const double bytes = sum("smsp__sass_data_bytes_mem_global_op_{}.sum");
  if (requests == 0 || sectors == 0 || bytes == 0) return;
  // Lanes that share an address ask for more bytes than there are.
  const double needed = std::min(bytes / kSectorBytes, sectors);
  gauges.push_back(
      {words(label), needed / sectors,
       words("page.gauge_global", {{"sectors", fmt::format("{:.3g}", sectors / requests)},
                                   {"least", fmt::format("{:.3g}", needed / requests)}})});
}

void add_shared(const KernelSum& kernel, const char* operation, const char* label,
                const Words& words, std::vector<Gauge>& gauges) {
  const double wavefronts =
      kernel.of(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", operation));
  const double conflicts =
      kernel.of(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", operation));
  if (wavefronts == 0) return;
  const double part = std::clamp(1 - conflicts / wavefronts, 0.0, 1.0);
  gauges.push_back({words(label), part,
                    conflicts == 0
                        ? words("page.gauge_no_conflicts")
                        : words("page.gauge_conflicts",
                                {{"passes", fmt::format("{:.0f}", wavefronts)},
                                 {"least", fmt::format("{:.0f}", wavefronts - conflicts)}})});
}

void add_lanes(const KernelSum& kernel, const Words& words, std::vector<Gauge>& gauges) {
  const double warps = kernel.of("ptx__inst_executed.sum");
  if (warps == 0) return;
  const double lanes = kernel.of("ptx__thread_inst_executed.sum") / warps;
  gauges.push_back({words("page.active_threads"), std::min(lanes / kWarpLanes, 1.0),
                    words("page.gauge_threads", {{"threads", fmt::format("{:.3g}", lanes)}})});
}

/// What holds a multiprocessor back from taking another block, in words.
struct Limit {
  const char* metric;
  const char* words;
  const char* place = nullptr;  ///< That these words fill with
  const char* use = nullptr;    ///< this metric.
};
constexpr Limit kLimits[] = {{"launch__occupancy_limit_warps", "page.limit_warps"},
                             {"launch__occupancy_limit_registers", "page.limit_registers",
                              "registers", "launch__registers_per_thread"},
                             {"launch__occupancy_limit_shared_mem", "page.limit_shared", "bytes",
                              "launch__shared_mem_per_block_allocated"},
                             {"launch__occupancy_limit_blocks", "page.limit_blocks"}};

double value_of(const std::map<std::string, double>& metrics, const std::string& metric) {
  const auto found = metrics.find(metric);
  return found == metrics.end() ? 0 : found->second;
}

/// The tightest limit; the first of those that are alike. Nothing where the device told none.
const Limit* tightest_limit(const std::map<std::string, double>& shape) {
  const Limit* tightest = nullptr;
  for (const Limit& limit : kLimits) {
    if (!shape.contains(limit.metric)) continue;
    if (tightest == nullptr || shape.at(limit.metric) < shape.at(tightest->metric))
      tightest = &limit;
  }
  return tightest;
}

void add_occupancy(const KernelSum& kernel, const Words& words, std::vector<Gauge>& gauges) {
  const double part = value_of(kernel.shape, "sm__maximum_warps_per_active_cycle_pct") / 100;
  const Limit* const limit = tightest_limit(kernel.shape);
  if (part == 0 || limit == nullptr) return;
  const auto whole = [&](const char* metric) {
    return fmt::format("{:.0f}", value_of(kernel.shape, metric));
  };
  const std::string why = limit->place == nullptr
                              ? words(limit->words)
                              : words(limit->words, {{limit->place, whole(limit->use)}});
  gauges.push_back({words("page.occupancy"), part,
                    part == 1
                        ? words("page.occupancy_full")
                        : words("page.occupancy_limited", {{"blocks", whole(limit->metric)},
                                                           {"threads", whole("launch__block_size")},
                                                           {"limit", why}})});
}

void keep_shape(const KernelRow& row, KernelSum& sum) {
  const double ms = row.time_ms ? row.time_ms->value : 0;
  if (ms < sum.shape_ms || !row.metrics.contains("launch__registers_per_thread")) return;
  sum.shape_ms = ms;
  sum.shape.clear();
  for (const auto& [metric, value] : row.metrics) {
    if (!metric.ends_with(".sum")) sum.shape[metric] = value;
  }
}

/// A last wave that fills a part of the device takes as long as a full one.
void add_waves(const KernelSum& kernel, const Words& words, std::vector<Gauge>& gauges) {
  const double waves = value_of(kernel.shape, "launch__waves_per_multiprocessor");
  if (waves == 0) return;
  const double resident = value_of(kernel.shape, "launch__grid_size") / waves;
  gauges.push_back(
      {words("page.waves"), waves / std::ceil(waves),
       words("page.gauge_waves",
             {{"blocks", static_cast<long>(value_of(kernel.shape, "launch__grid_size"))},
              {"resident", fmt::format("{:.0f}", resident)},
              {"waves", fmt::format("{:.3g}", waves)}})});
}

}  // namespace

double KernelSum::of(const std::string& metric) const { return value_of(metrics, metric); }

std::vector<KernelSum> kernel_sums(const SubmissionResult& result) {
  std::map<std::string, KernelSum> sums;
  for (const KernelRow& row : result.kernels) {
    KernelSum& sum = sums[row.name];
    sum.name = row.name;
    ++sum.launches;
    for (const auto& [metric, value] : row.metrics) {
      if (metric.ends_with(".sum")) sum.metrics[metric] += value;
    }
    keep_shape(row, sum);
    if (!row.time_ms) continue;
    (row.time_ms->source == "measured" ? sum.measured_ms : sum.modelled_ms) += row.time_ms->value;
  }
  std::vector<KernelSum> all;
  for (auto& [name, sum] : sums) all.push_back(std::move(sum));
  return all;
}

std::vector<Gauge> gauges_of(const KernelSum& kernel, const std::string& language) {
  const Words words(language);
  std::vector<Gauge> gauges;
  add_global(kernel, "ld", "page.global_loads", words, gauges);
  add_global(kernel, "st", "page.global_stores", words, gauges);
  add_shared(kernel, "ld", "page.shared_loads", words, gauges);
  add_shared(kernel, "st", "page.shared_stores", words, gauges);
  add_lanes(kernel, words, gauges);
  add_occupancy(kernel, words, gauges);
  add_waves(kernel, words, gauges);
  return gauges;
}

}  // namespace warpgrade
