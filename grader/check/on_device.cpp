// SPDX-License-Identifier: MIT
#include "check/on_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/arrivals.h"
#include "check/no_launch.h"
#include "check/provenance.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// What is taken for a sign that a kernel wrote to memory.
enum class Sign {
  kWritten,
  kGiven,  ///< It got the memory's address, and may have written what was there.
};

/// What a record says of allocations, where it says nothing of single bytes.
class WrittenAllocations {
 public:
  WrittenAllocations(const Trace& trace, const std::string& range, Sign sign)
      : trace_(trace), range_(range), sign_(sign), allocations_(allocations_of(trace)) {}

  /// Whether the last that wrote to the memory which the copy reads was a kernel of the range.
  bool hold_source_of(const ApiCall& copy) const {
    const Allocation* source = allocation_at(allocations_, copy.number("src"), copy.seq);
    return source != nullptr && was_written_by_kernel(*source, copy.seq);
  }

  /// Whether that holds of some copy for each part.
  bool hold_sources_of(const Arrival& arrival) const {
    return std::all_of(arrival.begin(), arrival.end(), [&](const ArrivedPart& part) {
      return std::any_of(part.sources->begin(), part.sources->end(),
                         [&](const CopiedBytes& bytes) { return hold_source_of(*bytes.copy); });
    });
  }

 private:
  /// A copy within the device passes on what its source was; one from the host is the host's.
  bool was_written_by_kernel(const Allocation& memory, long seq) const {
    long written_at = -1;
    for (const KernelLaunch* launch : launches_in(trace_, range_)) {
      for (const Touch& touch : launch->memory) {
        const bool counts = touch.written || sign_ == Sign::kGiven;
        if (counts && touch.ptr == memory.ptr && launch->seq < seq) written_at = launch->seq;
      }
    }
    const ApiCall* copy = nullptr;
    for (const ApiCall& call : trace_.calls) {
      const std::string direction = call.text("direction");
      const bool writes = call.result == 0 && (direction == "HtoD" || direction == "DtoD");
      if (writes && written_at < call.seq && call.seq < seq &&
          memory.holds(call.number("dst"), call.seq))
        copy = &call;
    }
    if (copy == nullptr) return written_at >= 0;
    const Allocation* source = allocation_at(allocations_, copy->number("src"), copy->seq);
    return copy->text("direction") == "DtoD" && source != nullptr &&
           was_written_by_kernel(*source, copy->seq);
  }

  const Trace& trace_;
  const std::string& range_;
  const Sign sign_;
  const std::vector<Allocation> allocations_;
};

bool is_all_zeros(const NpyArray& array) {
  return std::all_of(array.bytes.begin(), array.bytes.end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

bool says_writers(const Arrival& arrival) {
  return std::all_of(arrival.begin(), arrival.end(), [](const ArrivedPart& part) {
    return std::any_of(part.sources->begin(), part.sources->end(), [](const CopiedBytes& bytes) {
      return bytes.copy->args.contains("origin_runs");
    });
  });
}

/// Why the array is not the work of the range's kernels, had it come this way; empty where it is.
Sentence why_not(const OnDeviceRule& rule, const NpyArray& array, const Arrival& arrival,
                 const WrittenAllocations& allocations, const CaseFacts& facts) {
  const bool by_allocation = allocations.hold_sources_of(arrival);
  if (!says_writers(arrival))
    return by_allocation
               ? Sentence()
               : say("device_work.elsewhere", {{"array", rule.array}, {"range", rule.range}});
  Sentence why = not_computed(rule.array, array, arrival, rule.range, facts);
  // Zeros that the kernels of a larger allocation had no reason to write.
  const bool is_idle = why.id == "device_work.elsewhere" && is_all_zeros(array) && by_allocation;
  return is_idle ? Sentence() : why;
}

}  // namespace

double multiplications(const std::vector<const KernelLaunch*>& launches) {
  double total = 0;
  for (const KernelLaunch* launch : launches) {
    for (const char* op : {"ffma", "fmul", "dfma", "dmul"}) {
      const auto found = launch->metrics.find(
          fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", op));
      if (found != launch->metrics.end()) total += found->second;
    }
  }
  return total;
}

Sentence breach(const OnDeviceRule& rule, const CaseFacts& facts) {
  const std::vector<const KernelLaunch*> launches = launches_in(facts.trace, rule.range);
  if (launches.empty()) return why_no_launch(facts.trace, rule.range);
  if (rule.multiply_adds && facts.trace.is_counted()) {
    const Result<long> wanted = rule.multiply_adds->value(facts.values);
    if (!wanted) return uncomputable(wanted.error());
    const double done = multiplications(launches);
    if (!(done >= static_cast<double>(*wanted))) {
      return say(
          "device_work.multiplications",
          {{"range", rule.range}, {"done", fmt::format("{:.0f}", done)}, {"wanted", *wanted}});
    }
  }
  const auto array = facts.outputs.find(rule.array);
  if (array == facts.outputs.end()) return say("output.missing", {{"array", rule.array}});
  const WrittenAllocations allocations(facts.trace, rule.range, Sign::kWritten);
  Sentence first;
  for (const Arrival& arrival : arrivals_of(array->second, facts.trace, rule.range)) {
    Sentence why = why_not(rule, array->second, arrival, allocations, facts);
    if (why.empty()) return {};
    if (first.empty()) first = std::move(why);
  }
  return first.empty()
             ? say("device_work.elsewhere", {{"array", rule.array}, {"range", rule.range}})
             : first;
}

bool may_have_come_from_device(const OnDeviceRule& rule, const CaseFacts& facts) {
  const auto array = facts.outputs.find(rule.array);
  if (facts.trace.is_counted() || array == facts.outputs.end()) return false;
  const WrittenAllocations allocations(facts.trace, rule.range, Sign::kGiven);
  const std::vector<Arrival> arrivals = arrivals_of(array->second, facts.trace, rule.range);
  return std::any_of(arrivals.begin(), arrivals.end(),
                     [&](const Arrival& arrival) { return allocations.hold_sources_of(arrival); });
}

}  // namespace warpgrade
