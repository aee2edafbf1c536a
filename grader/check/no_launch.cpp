// SPDX-License-Identifier: MIT
#include "check/no_launch.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade {
namespace {

/// The first finding about a kernel after it was launched.
const Finding* finding_about(const Trace& trace, const KernelLaunch& launch) {
  const auto found =
      std::find_if(trace.findings.begin(), trace.findings.end(), [&](const Finding& finding) {
        return finding.seq > launch.seq && finding.kernel == launch.kernel &&
               finding.checker != "padding";
      });
  return found == trace.findings.end() ? nullptr : &*found;
}

}  // namespace

std::string why_no_launch(const Trace& trace, const std::string& range) {
  for (const KernelLaunch& launch : trace.launches) {
    if (launch.result == 0 || !(range.empty() || launch.range == range)) continue;
    const Finding* const finding = finding_about(trace, launch);
    if (finding == nullptr)
      return fmt::format("the kernel in \"{}\" could not run (CUDA error {})", range,
                         launch.result);
    const std::string where =
        finding->file.empty() ? "" : fmt::format(" at {}:{}", finding->file, finding->line);
    return fmt::format("the kernel in \"{}\" failed: it {}{}", range, finding->message, where);
  }
  return fmt::format("no kernel ran in \"{}\"", range);
}

}  // namespace warpgrade
