// SPDX-License-Identifier: MIT
#include "check/outside.h"

#include <map>

#include "base/text.h"

namespace warpgrade {

std::vector<const KernelLaunch*> launches_outside(const Trace& trace) {
  std::vector<const KernelLaunch*> found;
  if (!trace.is_counted() || trace.ranges.empty()) return found;
  for (const KernelLaunch& launch : trace.launches) {
    if (launch.ran() && launch.range.empty() && !launch.is_drivers) found.push_back(&launch);
  }
  return found;
}

std::vector<const KernelLaunch*> launches_charged(const Trace& trace, std::string_view range) {
  std::vector<const KernelLaunch*> found;
  if (!range.empty()) found = launches_outside(trace);
  for (const KernelLaunch* launch : launches_run_in(trace, range)) {
    if (launch->has_faulted) found.push_back(launch);
  }
  return found;
}

std::vector<Finding> findings_outside(const Trace& trace) {
  std::map<std::string, Finding> by_kernel;
  for (const KernelLaunch* launch : launches_outside(trace)) {
    const auto [found, is_new] = by_kernel.try_emplace(launch->kernel);
    Finding& finding = found->second;
    if (is_new) {
      finding.seq = launch->seq;
      finding.checker = "outside";
      finding.kernel = launch->kernel;
      finding.count = 0;
    }
    ++finding.count;
  }
  std::vector<Finding> findings;
  for (auto& [kernel, finding] : by_kernel) {
    finding.message = "it ran " + counted(finding.count, "time") +
                      " outside the graded calls, which are charged for it";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace warpgrade
