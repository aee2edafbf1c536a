// SPDX-License-Identifier: MIT
#include "pipeline/foreign_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "check/outside.h"

namespace warpgrade {
namespace {

/// Ranges by which the grader tells the cases of one process apart have such names.
constexpr std::string_view kHarness = "warpgrade.";

/// A driver may put a name together: variant.name + "_again".
bool is_drivers(std::string_view name, std::string_view source) {
  const auto has = [&](std::string_view part) {
    return source.find(fmt::format("\"{}\"", part)) != source.npos;
  };
  if (name.starts_with(kHarness) || has(name)) return true;
  for (size_t at = 1; at < name.size(); ++at) {
    if (has(name.substr(0, at)) && has(name.substr(at))) return true;
  }
  return false;
}

/// Whether the source has the name in quotes other than as that of an array. A driver may pass it to where it opens the
/// range.
bool may_open(std::string_view source, std::string_view name) {
  const std::string quoted = fmt::format("\"{}\"", name);
  for (size_t at = source.find(quoted); at != source.npos; at = source.find(quoted, at + 1)) {
    const size_t begin = source.find_last_of(";{}\n", at) + 1;
    const std::string_view before = source.substr(begin, at - begin);
    if (before.find(".output") == before.npos && before.find(".input") == before.npos) return true;
  }
  return false;
}

/// "take_time" of "(anonymous namespace)::take_time(float*, int)".
std::string base_name(const std::string& kernel) {
  const size_t end = kernel.rfind('(');
  const size_t begin = kernel.find_last_of(": ", end) + 1;
  return end == kernel.npos || begin > end ? "" : kernel.substr(begin, end - begin);
}

Finding finding_at(const RangeMark& mark, std::string message) {
  Finding finding;
  finding.seq = mark.seq;
  finding.checker = "harness";
  finding.message = std::move(message);
  return finding;
}

}  // namespace

std::vector<Finding> foreign_ranges(const Trace& trace, std::string_view driver_source) {
  std::vector<Finding> findings;
  std::vector<std::string> open;
  for (const RangeMark& mark : trace.ranges) {
    const std::string name = printable(mark.name);
    if (!mark.begins) {
      if (open.empty())
        findings.push_back(finding_at(mark, "it ended a range of the grader's that was not open"));
      else
        open.pop_back();
      continue;
    }
    if (!open.empty() && !open.back().starts_with(kHarness))
      findings.push_back(
          finding_at(mark, fmt::format("it opened the range \"{}\" of the grader's within \"{}\"",
                                       name, printable(open.back()))));
    else if (!is_drivers(mark.name, driver_source))
      findings.push_back(finding_at(
          mark, fmt::format("it opened the range \"{}\", which is none of the grader's", name)));
    open.push_back(mark.name);
  }
  return findings;
}

void mark_drivers_launches(Trace& trace, std::string_view driver_source,
                           const std::vector<std::string>& driver_code) {
  const auto is_from_driver = [&](const KernelLaunch& launch) {
    if (launch.code.empty()) return !trace.is_counted();
    return std::all_of(launch.code.begin(), launch.code.end(), [&](const std::string& container) {
      return std::find(driver_code.begin(), driver_code.end(), container) != driver_code.end();
    });
  };
  for (KernelLaunch& launch : trace.launches) {
    const std::string name = base_name(launch.kernel);
    launch.is_drivers = !name.empty() && is_from_driver(launch) &&
                        driver_source.find("__global__ void " + name + "(") != driver_source.npos;
  }
}

void move_outside(Trace& trace, std::string_view driver_source,
                  const std::set<std::string>& judged) {
  if (!trace.is_counted()) return;
  const auto move = [&](std::string& range) {
    if (!judged.contains(range) && !may_open(driver_source, range)) range.clear();
  };
  for (KernelLaunch& launch : trace.launches) move(launch.range);
  for (Finding& finding : trace.findings) move(finding.range);
}

void add_findings_of_ranges(Trace& trace, std::string_view driver_source) {
  for (std::vector<Finding> more : {foreign_ranges(trace, driver_source), findings_outside(trace)})
    trace.findings.insert(trace.findings.end(), more.begin(), more.end());
}

}  // namespace warpgrade
