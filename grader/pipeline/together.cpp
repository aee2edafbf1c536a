// SPDX-License-Identifier: MIT
#include "pipeline/together.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade {
namespace {

/// The driver's calls before a case and after it. Between them it may have made such calls of its own.
struct Marks {
  const ApiCall* begin = nullptr;
  const ApiCall* end = nullptr;

  bool are_two() const { return begin != end; }
};

std::string range_of(size_t number) { return fmt::format("warpgrade.case:{}", number); }

Marks marks_of(size_t number, const Trace& trace) {
  Marks marks;
  for (const ApiCall& call : trace.calls) {
    if (call.name != "cudaGetLastError" || call.range != range_of(number)) continue;
    if (marks.begin == nullptr) marks.begin = &call;
    marks.end = &call;
  }
  return marks;
}

/// What lies between the marks. Outside of the driver's ranges it is in none, as in a process of its own.
template <class Event>
std::vector<Event> between(const Marks& marks, const std::vector<Event>& events,
                           const std::string& range) {
  std::vector<Event> found;
  for (const Event& event : events) {
    if (event.seq <= marks.begin->seq || event.seq >= marks.end->seq) continue;
    found.push_back(event);
    if (event.range == range) found.back().range.clear();
  }
  return found;
}

CaseRun case_run(size_t number, const Marks& marks, const Trace& trace, const RunResult& together) {
  CaseRun found;
  found.trace = trace;
  found.trace.exited = true;
  found.trace.calls = between(marks, trace.calls, range_of(number));
  found.trace.launches = between(marks, trace.launches, range_of(number));
  found.run.process = together.process;
  found.run.process.ending = Ending::kExited;
  found.run.process.code = 0;
  found.run.outputs = together.repetitions.at(number);
  return found;
}

}  // namespace

std::vector<std::optional<CaseRun>> told_apart(const RunResult& together, size_t count) {
  std::vector<std::optional<CaseRun>> found(count);
  const Result<Trace> trace = parse_trace(together.trace);
  if (!trace || trace->source != "gpu" || together.endless_calls) return found;
  long last_seq = -1;
  for (size_t number = 0; number < count && number < together.repetitions.size(); ++number) {
    const Marks marks = marks_of(number, *trace);
    const bool is_whole = marks.are_two() && marks.begin->seq > last_seq;
    const bool is_last = marks_of(number + 1, *trace).begin == nullptr;
    const bool ended = !is_last || together.process.succeeded();
    if (!is_whole || !ended || marks.begin->result != 0) break;
    found[number] = case_run(number, marks, *trace, together);
    last_seq = marks.end->seq;
  }
  return found;
}

}  // namespace warpgrade
