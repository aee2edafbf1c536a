// SPDX-License-Identifier: MIT
#include "check/no_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace warpgrade {
namespace {

/// The first finding about a kernel after it was launched.
const Finding* finding_about(const Trace& trace, const KernelLaunch& launch) {
  const auto found =
      std::find_if(trace.findings.begin(), trace.findings.end(), [&](const Finding& finding) {
        return finding.seq > launch.seq && finding.kernel == launch.kernel &&
               may_end_a_run(finding);
      });
  return found == trace.findings.end() ? nullptr : &*found;
}

std::string why_failed(const Trace& trace, const KernelLaunch& launch) {
  const Finding* const finding = finding_about(trace, launch);
  if (finding == nullptr) {
    return fmt::format(
        "the kernel in \"{}\" was refused: a grid of {} blocks of {} threads (CUDA error {})",
        launch.range, fmt::join(launch.grid, " x "), fmt::join(launch.block, " x "), launch.result);
  }
  const std::string where =
      finding->file.empty() ? "" : fmt::format(" at {}:{}", finding->file, finding->line);
  return fmt::format("the kernel in \"{}\" failed: it {}{}", launch.range, finding->message, where);
}

}  // namespace

std::string why_no_launch(const Trace& trace, const std::string& range) {
  const KernelLaunch* earlier = nullptr;
  for (const KernelLaunch& launch : trace.launches) {
    if (launch.result == 0) continue;
    if (!range.empty() && launch.range != range) {
      earlier = &launch;
      continue;
    }
    return why_failed(trace, launch);
  }
  const std::string after =
      earlier == nullptr ? "" : fmt::format(", after the one in \"{}\" failed", earlier->range);
  return fmt::format("no kernel ran in \"{}\"{}", range, after);
}

}  // namespace warpgrade
