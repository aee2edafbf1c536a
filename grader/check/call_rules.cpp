// SPDX-License-Identifier: MIT
#include "check/call_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check/no_launch.h"
#include "check/outside.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// `say_bound(is_least, bound)` says that the count is beyond a bound.
template <class SayBound>
Sentence count_breach(long count, const std::optional<Expression>& at_least,
                      const std::optional<Expression>& at_most, const Expression::Values& values,
                      SayBound say_bound) {
  if (at_least) {
    const Result<long> least = at_least->value(values);
    if (!least) return uncomputable(least.error());
    if (count < *least) return say_bound(true, *least);
  }
  if (at_most) {
    const Result<long> most = at_most->value(values);
    if (!most) return uncomputable(most.error());
    if (count > *most) return say_bound(false, *most);
  }
  return {};
}

constexpr std::string_view kAllCopies = "cudaMemcpy*";

/// The copies of a range, whoever asked for them: one of several counts as many. A call that copies nothing counts, too.
long copies_in(const Trace& trace, const std::string& range) {
  uint64_t count = 0;
  for (const ApiCall* call : calls_in(trace, range, kAllCopies)) count += call->copies() == 0;
  for (const ApiCall& call : trace.calls)
    if (range.empty() || call.range == range) count += call.copies();
  return static_cast<long>(count);
}

bool begins(const ApiCall& call, std::string_view prefix) {
  return call.name.rfind(prefix, 0) == 0;
}

/// " at vecadd.cu:31", or nothing.
Sentence place_of(const ApiCall& call) {
  if (call.file.empty()) return {};
  return say("place.at", {{"file", call.file}, {"line", call.line}});
}

/// A call of the range that makes `what` (its argument's name), which no later call of the range with one of the
/// `destroying` names destroys.
const ApiCall* never_destroyed(const Trace& trace, const std::string& range,
                               std::string_view creating,
                               const std::vector<std::string_view>& destroying, const char* what) {
  std::unordered_map<uint64_t, long> destroyed_at;
  for (const ApiCall& call : trace.calls) {
    const bool destroys =
        std::find(destroying.begin(), destroying.end(), call.name) != destroying.end();
    if (call.result == 0 && call.range == range && destroys)
      destroyed_at[call.number(what)] = call.seq;
  }
  for (const ApiCall& made : trace.calls) {
    if (made.result != 0 || made.range != range || !begins(made, creating)) continue;
    const auto found = destroyed_at.find(made.number(what));
    if (found == destroyed_at.end() || found->second < made.seq) return &made;
  }
  return nullptr;
}

/// Whether kernels of the range work on it.
bool is_touched(const Trace& trace, const std::string& range, const Allocation& allocation) {
  return std::any_of(trace.launches.begin(), trace.launches.end(), [&](const KernelLaunch& launch) {
    return launch.range == range &&
           std::any_of(launch.memory.begin(), launch.memory.end(),
                       [&](const Touch& touch) { return allocation.holds(touch.ptr, launch.seq); });
  });
}

/// How often the range asks to free memory in vain, because a kernel of it has faulted.
long freed_in_vain(const Trace& trace, const std::string& range) {
  const auto fault = std::find_if(
      trace.launches.begin(), trace.launches.end(),
      [&](const KernelLaunch& launch) { return launch.range == range && launch.has_faulted; });
  if (fault == trace.launches.end()) return 0;
  return std::count_if(trace.calls.begin(), trace.calls.end(), [&](const ApiCall& call) {
    return call.range == range && call.seq > fault->seq && call.result == fault->result &&
           begins(call, "cudaFree");
  });
}

Sentence leak(const Trace& trace, const std::string& range) {
  const std::vector<Allocation> allocations = allocations_of(trace);
  std::unordered_map<long, const ApiCall*> calls;
  for (const ApiCall& call : trace.calls) calls.emplace(call.seq, &call);
  const auto call_at = [&](long seq) {
    const auto found = calls.find(seq);
    return found == calls.end() ? nullptr : found->second;
  };
  long leaked = 0;
  const Allocation* first = nullptr;
  for (const Allocation& allocation : allocations) {
    const ApiCall* made = call_at(allocation.first_seq);
    const ApiCall* freed = call_at(allocation.last_seq);
    if (made == nullptr) continue;
    // A range also owns what a constructor allocated and nobody freed, if its kernels work on it.
    const bool has_no_range = made->range.empty() && freed == nullptr;
    const bool is_owned =
        made->range == range || (has_no_range && is_touched(trace, range, allocation));
    if (!is_owned) continue;
    if (allocation.ptr == 0) continue;  // 0 bytes: a null pointer, which need not be freed
    if (freed != nullptr && freed->range == range) continue;
    if (++leaked == 1) first = &allocation;
  }
  if (first == nullptr) return {};
  if (leaked <= freed_in_vain(trace, range)) return why_failed(trace, range);
  return say("freed.memory", {{"range", range},
                              {"count", leaked},
                              {"bytes", first->width * first->height},
                              {"api", first->api},
                              {"place", place_of(*call_at(first->first_seq))}});
}

/// How many blocks kernels of the range took by malloc or new that nothing had freed at its end.
long left_in_kernels(const Trace& trace, const std::string& range) {
  long left = 0;
  for (const RangeMark& mark : trace.ranges) {
    if (mark.name == range) left += mark.begins ? -mark.heap_blocks : mark.heap_blocks;
  }
  return left;
}

/// Something that one call makes and another gives back.
struct Object {
  std::vector<std::string_view> makers;  ///< what their names begin with
  std::string_view giver;
  const char* named_by =
      nullptr;  ///< the argument that tells one from another; null: they are counted
  std::string_view makes_none = {};  ///< a call after which a maker gives what there was before
  std::vector<std::string_view> other_givers = {};  ///< calls that give it back as well
};

const std::vector<Object>& objects() {
  static const std::vector<Object> all = {
      {{"cudaHostAlloc"}, "cudaFreeHost", "ptr"},
      {{"cudaHostRegister"}, "cudaHostUnregister", "ptr"},
      {{"cudaMallocArray", "cudaMalloc3DArray"}, "cudaFreeArray", "ptr"},
      {{"cudaMallocMipmappedArray"}, "cudaFreeMipmappedArray"},
      {{"cudaCreateTextureObject"}, "cudaDestroyTextureObject"},
      {{"cudaCreateSurfaceObject"}, "cudaDestroySurfaceObject"},
      {{"cudaGraphCreate", "cudaGraphClone", "cudaStreamEndCapture"},
       "cudaGraphDestroy",
       nullptr,
       "cudaStreamBeginCaptureToGraph"},
      {{"cudaGraphInstantiate"}, "cudaGraphExecDestroy"},
      {{"cudaMemPoolCreate"}, "cudaMemPoolDestroy"},
      {{"cudaGraphAddMemAllocNode"},
       "cudaFreeAsync",
       "ptr",
       {},
       {"cudaFree", "cudaGraphAddMemFreeNode"}}};
  return all;
}

/// The first maker of an object that the range does not give back; nullptr where it gives all back.
const ApiCall* never_given_back(const Trace& trace, const std::string& range,
                                const Object& object) {
  long left = 0;
  const ApiCall* first = nullptr;
  for (const std::string_view maker : object.makers) {
    if (object.named_by != nullptr) {
      std::vector<std::string_view> givers = object.other_givers;
      givers.push_back(object.giver);
      first = never_destroyed(trace, range, maker, givers, object.named_by);
      if (first != nullptr) return first;
      continue;
    }
    for (const ApiCall& call : trace.calls) {
      if (call.result != 0 || call.range != range || !begins(call, maker)) continue;
      ++left;
      if (first == nullptr) first = &call;
    }
  }
  for (const ApiCall& call : trace.calls) {
    if (call.result == 0 && call.range == range)
      left -= call.name == object.giver || call.name == object.makes_none;
  }
  return left > 0 ? first : nullptr;
}

/// A call of the range that gives back what is not there, or no longer: the device refused it for what it was given,
/// and not because a kernel has failed before.
const ApiCall* given_back_in_vain(const Trace& trace, const std::string& range) {
  // CUDA Runtime API, cudaError_t: InvalidValue, InvalidResourceHandle, ContextIsDestroyed, HostMemoryNotRegistered.
  constexpr std::array kRefusals{1, 400, 709, 713};
  static const std::unordered_set<std::string_view> givers = [] {
    std::unordered_set<std::string_view> names{"cudaFree", "cudaFreeAsync", "cudaEventDestroy",
                                               "cudaStreamDestroy"};
    for (const Object& object : objects()) names.insert(object.giver);
    return names;
  }();
  const auto found = std::find_if(trace.calls.begin(), trace.calls.end(), [&](const ApiCall& call) {
    return call.range == range && givers.contains(call.name) &&
           std::find(kRefusals.begin(), kRefusals.end(), call.result) != kRefusals.end();
  });
  return found == trace.calls.end() ? nullptr : &*found;
}

}  // namespace

Sentence breach(const CallsRule& rule, const CaseFacts& facts) {
  const long count = rule.api == kAllCopies
                         ? copies_in(facts.trace, rule.range)
                         : static_cast<long>(calls_in(facts.trace, rule.range, rule.api).size());
  return count_breach(
      count, rule.at_least, rule.at_most, facts.values, [&](bool is_least, long wanted) {
        return say(
            is_least ? "calls.too_few" : "calls.too_many",
            {{"api", rule.api}, {"count", count}, {"range", rule.range}, {"wanted", wanted}});
      });
}

Sentence breach(const LaunchesRule& rule, const CaseFacts& facts) {
  const auto ended = static_cast<long>(launches_in(facts.trace, rule.range).size());
  const auto count = static_cast<long>(launches_run_in(facts.trace, rule.range).size());
  Sentence wrong =
      count_breach(ended, rule.at_least, std::nullopt, facts.values, [&](bool, long wanted) {
        return say("launches.too_few",
                   {{"count", ended}, {"range", rule.range}, {"wanted", wanted}});
      });
  if (wrong.empty())
    wrong = count_breach(count, std::nullopt, rule.at_most, facts.values, [&](bool, long wanted) {
      return say("launches.too_many",
                 {{"count", count}, {"range", rule.range}, {"wanted", wanted}});
    });
  const auto outside = static_cast<long>(launches_outside(facts.trace).size());
  if (!wrong.empty() || outside == 0 || rule.range.empty()) return wrong;
  return count_breach(
      count + outside, std::nullopt, rule.at_most, facts.values, [&](bool, long wanted) {
        return say(
            "launches.outside",
            {{"count", count}, {"outside", outside}, {"range", rule.range}, {"wanted", wanted}});
      });
}

Sentence breach(const FreedRule& rule, const CaseFacts& facts) {
  Sentence leaked = leak(facts.trace, rule.range);
  if (!leaked.empty()) return leaked;
  if (const long left = left_in_kernels(facts.trace, rule.range); left > 0)
    return say("freed.in_kernels", {{"range", rule.range}, {"count", left}});
  if (const ApiCall* const made = never_destroyed(facts.trace, rule.range, "cudaEventCreate",
                                                  {"cudaEventDestroy"}, "event"))
    return say("freed.event", {{"range", rule.range}, {"place", place_of(*made)}});
  if (const ApiCall* const made = never_destroyed(facts.trace, rule.range, "cudaStreamCreate",
                                                  {"cudaStreamDestroy"}, "stream"))
    return say("freed.stream", {{"range", rule.range}, {"place", place_of(*made)}});
  for (const Object& object : objects()) {
    if (const ApiCall* const made = never_given_back(facts.trace, rule.range, object))
      return say("freed.object", {{"range", rule.range},
                                  {"api", made->name},
                                  {"place", place_of(*made)},
                                  {"back", std::string(object.giver)}});
  }
  const ApiCall* const vain =
      rule.refusals_cost_elsewhere ? nullptr : given_back_in_vain(facts.trace, rule.range);
  if (vain != nullptr) return say("freed.refused", {{"range", rule.range}, {"api", vain->name}});
  return {};
}

}  // namespace warpgrade
