// SPDX-License-Identifier: MIT
#include "check/no_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "check/error_name.h"
#include "sentences/say.h"

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

std::string shape_text(const Extent3& extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

Sentence why_it_failed(const Trace& trace, const KernelLaunch& launch) {
  const Finding* const finding = finding_about(trace, launch);
  if (finding == nullptr)
    return say("launch.refused", {{"range", launch.range},
                                  {"error", error_name(launch.result)},
                                  {"grid", shape_text(launch.grid)},
                                  {"block", shape_text(launch.block)}});
  const Sentence place = finding->file.empty()
                             ? Sentence()
                             : say("place.at", {{"file", finding->file}, {"line", finding->line}});
  return say("launch.failed",
             {{"range", launch.range}, {"place", place}, finding->filling("what")});
}

}  // namespace

Sentence why_failed(const Trace& trace, const std::string& range) {
  const auto failed =
      std::find_if(trace.launches.begin(), trace.launches.end(), [&](const KernelLaunch& launch) {
        return launch.result != 0 && (range.empty() || launch.range == range);
      });
  return failed == trace.launches.end() ? Sentence() : why_it_failed(trace, *failed);
}

Sentence why_no_launch(const Trace& trace, const std::string& range) {
  if (Sentence failed = why_failed(trace, range); !failed.empty()) return failed;
  const KernelLaunch* earlier = nullptr;
  for (const KernelLaunch& launch : trace.launches)
    if (launch.result != 0) earlier = &launch;
  if (earlier == nullptr) return say("launch.none", {{"range", range}});
  return say("launch.none_after", {{"range", range}, {"earlier", earlier->range}});
}

}  // namespace warpgrade
