// SPDX-License-Identifier: MIT
#include "check/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "check/launch_rules.h"
#include "check/memory_rules.h"
#include "check/no_launch.h"

namespace warpgrade {
namespace {

constexpr const char* kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr const char* kSharedLoadConflicts =
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";

std::optional<double> sum(const Metric& metric, const Trace& trace, const std::string& name) {
  std::optional<double> total;
  for (const KernelLaunch* launch : launches_in(trace, metric.range)) {
    const auto found = launch->metrics.find(name);
    if (found != launch->metrics.end()) total = total.value_or(0) + found->second;
  }
  return total;
}

std::optional<double> ratio(std::optional<double> above, std::optional<double> below) {
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

std::optional<double> value_of(const Metric& metric, const Trace& trace) {
  if (metric.name == "sectors_per_global_load")
    return ratio(sum(metric, trace, kLoadSectors), sum(metric, trace, kLoadRequests));
  if (metric.name == "sectors_per_global_store")
    return ratio(sum(metric, trace, kStoreSectors), sum(metric, trace, kStoreRequests));
  if (metric.name == "shared_load_conflicts") return sum(metric, trace, kSharedLoadConflicts);
  return sum(metric, trace, metric.name);
}

}  // namespace

Judgement judge_rule(const Rule& rule, const CaseFacts& facts) {
  std::string message = std::visit([&](const auto& typed) { return breach(typed, facts); }, rule);
  return {message.empty(), std::move(message)};
}

Judgement judge_metric(const Metric& metric, const Trace& trace) {
  const std::optional<double> value = value_of(metric, trace);
  if (!value && launches_in(trace, metric.range).empty())
    return Judgement::failed(why_no_launch(trace, metric.range));
  if (!value)
    return Judgement::failed(
        fmt::format("no kernel in \"{}\" has a value for {}", metric.range, metric.name));
  if (metric.at_most && !(*value <= *metric.at_most)) {
    return Judgement::failed(
        fmt::format("{} is {:.4g}, wanted at most {:g}", metric.name, *value, *metric.at_most));
  }
  if (metric.at_least && !(*value >= *metric.at_least)) {
    return Judgement::failed(
        fmt::format("{} is {:.4g}, wanted at least {:g}", metric.name, *value, *metric.at_least));
  }
  return {};
}

std::string describe_finding(const Finding& finding) {
  std::string text = finding.file.empty()
                         ? finding.message
                         : fmt::format("{}:{}: {}", finding.file, finding.line, finding.message);
  if (finding.kernel.empty()) return text;
  return text + fmt::format(" (kernel {}, block ({}), thread ({}))", finding.kernel,
                            fmt::join(finding.block, ", "), fmt::join(finding.thread, ", "));
}

}  // namespace warpgrade
