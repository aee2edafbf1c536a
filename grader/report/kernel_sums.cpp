// SPDX-License-Identifier: MIT
#include "report/kernel_sums.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade {
namespace {

constexpr double kSectorBytes = 32, kWarpLanes = 32;

void add_global(const KernelSum& kernel, const char* operation, const char* label,
                std::vector<Gauge>& gauges) {
  const auto sum = [&](const char* format) {
    return kernel.of(fmt::format(fmt::runtime(format), operation));
  };
  const double requests = sum("l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum");
  const double sectors = sum("l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum");
  const double bytes = sum("smsp__sass_data_bytes_mem_global_op_{}.sum");
  if (requests == 0 || sectors == 0 || bytes == 0) return;
  // Lanes that share an address ask for more bytes than there are.
  const double needed = std::min(bytes / kSectorBytes, sectors);
  gauges.push_back({label, needed / sectors,
                    fmt::format("{:.3g} sectors of 32 bytes for each request of a warp; {:.3g} "
                                "hold as many bytes",
                                sectors / requests, needed / requests)});
}

void add_shared(const KernelSum& kernel, const char* operation, const char* label,
                std::vector<Gauge>& gauges) {
  const double wavefronts =
      kernel.of(fmt::format("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum", operation));
  const double conflicts =
      kernel.of(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", operation));
  if (wavefronts == 0) return;
  const double part = std::clamp(1 - conflicts / wavefronts, 0.0, 1.0);
  gauges.push_back(
      {label, part,
       conflicts == 0
           ? "no bank conflicts"
           : fmt::format("{:.3g} passes over the banks; {:.3g} would do without bank conflicts",
                         wavefronts, wavefronts - conflicts)});
}

void add_lanes(const KernelSum& kernel, std::vector<Gauge>& gauges) {
  const double warps = kernel.of("ptx__inst_executed.sum");
  if (warps == 0) return;
  const double lanes = kernel.of("ptx__thread_inst_executed.sum") / warps;
  gauges.push_back({"Active threads", std::min(lanes / kWarpLanes, 1.0),
                    fmt::format("{:.3g} of 32 threads of a warp work at an instruction", lanes)});
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

std::vector<Gauge> gauges_of(const KernelSum& kernel) {
  std::vector<Gauge> gauges;
  add_global(kernel, "ld", "Global loads", gauges);
  add_global(kernel, "st", "Global stores", gauges);
  add_shared(kernel, "ld", "Shared loads", gauges);
  add_shared(kernel, "st", "Shared stores", gauges);
  add_lanes(kernel, gauges);
  return gauges;
}

}  // namespace warpgrade
