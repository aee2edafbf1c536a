// SPDX-License-Identifier: MIT
#include "report/kernel_sums.h"

#include <fmt/format.h>

#include <algorithm>

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
                                {{"passes", fmt::format("{:.3g}", wavefronts)},
                                 {"least", fmt::format("{:.3g}", wavefronts - conflicts)}})});
}

void add_lanes(const KernelSum& kernel, const Words& words, std::vector<Gauge>& gauges) {
  const double warps = kernel.of("ptx__inst_executed.sum");
  if (warps == 0) return;
  const double lanes = kernel.of("ptx__thread_inst_executed.sum") / warps;
  gauges.push_back({words("page.active_threads"), std::min(lanes / kWarpLanes, 1.0),
                    words("page.gauge_threads", {{"threads", fmt::format("{:.3g}", lanes)}})});
}

}  // namespace

double KernelSum::of(const std::string& metric) const {
  const auto found = metrics.find(metric);
  return found == metrics.end() ? 0 : found->second;
}

std::vector<KernelSum> kernel_sums(const SubmissionResult& result) {
  std::map<std::string, KernelSum> sums;
  for (const KernelRow& row : result.kernels) {
    KernelSum& sum = sums[row.name];
    sum.name = row.name;
    ++sum.launches;
    for (const auto& [metric, value] : row.metrics) {
      if (metric.ends_with(".sum")) sum.metrics[metric] += value;
    }
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
  return gauges;
}

}  // namespace warpgrade
