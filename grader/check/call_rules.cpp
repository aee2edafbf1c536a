// SPDX-License-Identifier: MIT
#include "check/call_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

/// `happened` says how often: "3 kernels ran", "cudaFree succeeded 2 times".
std::string count_breach(long count, const std::string& happened, const std::string& range,
                         const std::optional<Expression>& at_least,
                         const std::optional<Expression>& at_most,
                         const Expression::Values& values) {
  if (at_least) {
    const Result<long> least = at_least->value(values);
    if (!least) return least.error().message;
    if (count < *least)
      return fmt::format("{} in \"{}\", wanted at least {}", happened, range, *least);
  }
  if (at_most) {
    const Result<long> most = at_most->value(values);
    if (!most) return most.error().message;
    if (count > *most)
      return fmt::format("{} in \"{}\", wanted at most {}", happened, range, *most);
  }
  return "";
}

bool begins(const ApiCall& call, std::string_view prefix) {
  return call.name.rfind(prefix, 0) == 0;
}

/// A call of the range that makes `what` (its argument's name), which none of the range destroys
/// again.
const ApiCall* never_destroyed(const Trace& trace, const std::string& range,
                               const std::string& creating, const std::string& destroying,
                               const char* what) {
  for (const ApiCall& made : trace.calls) {
    if (made.result != 0 || made.range != range || !begins(made, creating)) continue;
    const bool destroyed =
        std::any_of(trace.calls.begin(), trace.calls.end(), [&](const ApiCall& call) {
          return call.result == 0 && call.range == range && call.name == destroying &&
                 call.seq > made.seq && call.number(what) == made.number(what);
        });
    if (!destroyed) return &made;
  }
  return nullptr;
}

const ApiCall* call_at(const Trace& trace, long seq) {
  const auto found = std::find_if(trace.calls.begin(), trace.calls.end(),
                                  [&](const ApiCall& call) { return call.seq == seq; });
  return found == trace.calls.end() ? nullptr : &*found;
}

std::string leak(const Trace& trace, const std::string& range) {
  const std::vector<Allocation> allocations = allocations_of(trace);
  long leaked = 0;
  const Allocation* first = nullptr;
  for (const Allocation& allocation : allocations) {
    const ApiCall* made = call_at(trace, allocation.first_seq);
    const ApiCall* freed = call_at(trace, allocation.last_seq);
    if (made == nullptr || made->range != range) continue;
    if (allocation.ptr == 0) continue;  // 0 bytes: a null pointer, which nobody need free
    if (freed != nullptr && freed->range == range) continue;
    if (++leaked == 1) first = &allocation;
  }
  if (first == nullptr) return "";
  return fmt::format("{} made in \"{}\" {} not freed there; the first holds {} bytes, from {}",
                     counted(leaked, "allocation"), range, leaked == 1 ? "was" : "were",
                     first->width * first->height, first->api);
}

}  // namespace

std::string breach(const CallsRule& rule, const CaseFacts& facts) {
  const auto count = static_cast<long>(calls_in(facts.trace, rule.range, rule.api).size());
  return count_breach(count, fmt::format("{} succeeded {}", rule.api, counted(count, "time")),
                      rule.range, rule.at_least, rule.at_most, facts.values);
}

std::string breach(const LaunchesRule& rule, const CaseFacts& facts) {
  const auto count = static_cast<long>(launches_in(facts.trace, rule.range).size());
  return count_breach(count, counted(count, "kernel") + " ran", rule.range, rule.at_least,
                      rule.at_most, facts.values);
}

std::string breach(const FreedRule& rule, const CaseFacts& facts) {
  const std::string leaked = leak(facts.trace, rule.range);
  if (!leaked.empty()) return leaked;
  if (never_destroyed(facts.trace, rule.range, "cudaEventCreate", "cudaEventDestroy", "event"))
    return fmt::format("an event made in \"{}\" was not destroyed there", rule.range);
  if (never_destroyed(facts.trace, rule.range, "cudaStreamCreate", "cudaStreamDestroy", "stream"))
    return fmt::format("a stream made in \"{}\" was not destroyed there", rule.range);
  return "";
}

}  // namespace warpgrade
