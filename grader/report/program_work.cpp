// SPDX-License-Identifier: MIT
#include "report/program_work.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace warpgrade {
namespace {

double flops_of(const std::map<std::string, double>& metrics) {
  constexpr std::pair<std::string_view, double> kFlops[] = {{"fadd", 1}, {"fmul", 1}, {"ffma", 2},
                                                            {"dadd", 1}, {"dmul", 1}, {"dfma", 2}};
  double flops = 0;
  for (const auto& [kind, each] : kFlops) {
    const auto found =
        metrics.find(fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", kind));
    if (found != metrics.end()) flops += each * found->second;
  }
  return flops;
}

}  // namespace

void ProgramWork::add(const std::map<std::string, double>& metrics,
                      const std::optional<KernelTime>& time) {
  if (!time || time->source != "modelled") return;
  flops += flops_of(metrics);
  dram_bytes += time->dram_bytes;
  ms += time->value;
}

}  // namespace warpgrade
