// SPDX-License-Identifier: MIT
#include "pipeline/driver_ranges.h"

#include <fmt/format.h>

#include "base/npy_io.h"
#include "base/text.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr std::string_view kOwnRanges = "warpgrade.";

}  // namespace

RangeCounts count_ranges(const Trace& trace) {
  RangeCounts counts;
  for (const RangeMark& mark : trace.ranges) {
    if (mark.begins && !mark.name.starts_with(kOwnRanges)) ++counts[mark.name];
  }
  for (const OutputNote& note : trace.outputs) ++counts[npy_io::kNoted + note.name];
  return counts;
}

Doubts doubts_of_ranges(const std::string& case_id, const Trace& trace, const RangeCounts& driver,
                        const std::set<std::string>& judged) {
  Doubts doubts;
  for (const auto& [name, times] : count_ranges(trace)) {
    const auto known = driver.find(name);
    const long wanted = known == driver.end() ? 0 : known->second;
    if (times <= wanted) continue;
    const Sentence why =
        say(kExtraRange, {{"range", printable(name)}, {"times", times}, {"wanted", wanted}});
    for (const std::string& range : judged) doubts.push_back({range, why, false, case_id});
  }
  return doubts;
}

}  // namespace warpgrade
