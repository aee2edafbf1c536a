// SPDX-License-Identifier: MIT
#include "check/on_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

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

/// What a record says of allocations, where it says nothing of single bytes. A program writes the record's lines, so that no
/// answer takes longer than one pass over them.
class WrittenAllocations {
 public:
  WrittenAllocations(const Trace& trace, const std::string& range, Sign sign)
      : allocations_(allocations_of(trace)) {
    for (const KernelLaunch* launch : launches_in(trace, range)) {
      for (const Touch& touch : launch->memory) {
        if (touch.written || sign == Sign::kGiven) kernels_[touch.ptr].push_back(launch->seq);
      }
    }
    for (const ApiCall& call : trace.calls) {
      if (call.result != 0) continue;
      const std::string direction = call.text("direction");
      if (direction != "HtoD" && direction != "DtoD") continue;
      const Allocation* const to = allocation_at(allocations_, call.number("dst"), call.seq);
      if (to != nullptr)
        copies_[to].push_back({&call, direction == "DtoD" ? source_of(call) : nullptr});
    }
  }

  /// Whether the last that wrote to the memory which the copy reads was a kernel of the range.
  bool hold_source_of(const ApiCall& copy) const {
    return was_written_by_kernel(source_of(copy), copy.seq);
  }

  /// Whether that holds of some copy for each part.
  bool hold_sources_of(const Arrival& arrival) const {
    return std::all_of(arrival.begin(), arrival.end(), [&](const ArrivedPart& part) {
      return std::any_of(part.sources->begin(), part.sources->end(),
                         [&](const CopiedBytes& bytes) { return hold_source_of(*bytes.copy); });
    });
  }

 private:
  /// A copy into an allocation, and what it brought: nullptr where that is the host's.
  struct Brought {
    const ApiCall* copy;
    const Allocation* from;
  };

  const Allocation* source_of(const ApiCall& copy) const {
    return allocation_at(allocations_, copy.number("src"), copy.seq);
  }

  /// A copy within the device passes on what its source was; one from the host is the host's.
  bool was_written_by_kernel(const Allocation* memory, long seq) const {
    std::vector<const ApiCall*> passed;
    bool is_kernels = false;
    while (memory != nullptr) {
      const long written_at = last_kernel(*memory, seq);
      const Brought* const last = last_copy(memory, seq);
      if (last == nullptr || last->copy->seq < written_at) {
        is_kernels = written_at >= 0;
        break;
      }
      if (const auto known = known_.find(last->copy); known != known_.end()) {
        is_kernels = known->second;
        break;
      }
      passed.push_back(last->copy);
      memory = last->from;
      seq = last->copy->seq;
    }
    for (const ApiCall* copy : passed) known_[copy] = is_kernels;
    return is_kernels;
  }

  /// When a kernel wrote there last before `seq`; -1 where none did.
  long last_kernel(const Allocation& memory, long seq) const {
    const auto found = kernels_.find(memory.ptr);
    if (found == kernels_.end()) return -1;
    const auto after = std::lower_bound(found->second.begin(), found->second.end(), seq);
    return after == found->second.begin() ? -1 : *std::prev(after);
  }

  const Brought* last_copy(const Allocation* memory, long seq) const {
    const auto found = copies_.find(memory);
    if (found == copies_.end()) return nullptr;
    const auto after =
        std::partition_point(found->second.begin(), found->second.end(),
                             [seq](const Brought& each) { return each.copy->seq < seq; });
    return after == found->second.begin() ? nullptr : &*std::prev(after);
  }

  const std::vector<Allocation> allocations_;
  std::unordered_map<uint64_t, std::vector<long>> kernels_;  ///< by where the allocation begins
  std::unordered_map<const Allocation*, std::vector<Brought>> copies_;
  mutable std::unordered_map<const ApiCall*, bool> known_;  ///< whether the copy brought a kernel's
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
  if (!says_writers(arrival))
    return allocations.hold_sources_of(arrival) ? Sentence()
                                                : computed_elsewhere(rule.array, array, rule.range);
  Sentence why = not_computed(rule.array, array, arrival, rule.range, facts);
  // Zeros that the kernels of a larger allocation had no reason to write.
  const bool is_idle = why.id == "device_work.elsewhere" && is_all_zeros(array) &&
                       allocations.hold_sources_of(arrival);
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
  return first.empty() ? computed_elsewhere(rule.array, array->second, rule.range) : first;
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
