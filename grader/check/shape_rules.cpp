// SPDX-License-Identifier: MIT
#include "check/shape_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "check/no_launch.h"
#include "check/on_device.h"
#include "sentences/say.h"

namespace warpgrade {
namespace {

/// "8 or 16" where `value` is none of the allowed ones; "" where it is, or anything is allowed.
Result<std::string> unless_allowed(long value, const std::vector<Expression>& allowed,
                                   const Expression::Values& values) {
  std::vector<std::string> wanted;
  for (const Expression& expression : allowed) {
    const Result<long> number = expression.value(values);
    if (!number) return number.error();
    if (*number == value) return std::string();
    wanted.push_back(std::to_string(*number));
  }
  return join(wanted, " or ");
}

/// `id` says which shape it is: shape.block or shape.grid.
Sentence extent_breach(const char* id, const KernelLaunch& launch, const Extent3& extents,
                       const std::vector<Expression>* const (&allowed)[3],
                       const Expression::Values& values) {
  for (size_t axis = 0; axis < 3; ++axis) {
    const Result<std::string> wanted = unless_allowed(extents[axis], *allowed[axis], values);
    if (!wanted) return uncomputable(wanted.error());
    if (wanted->empty()) continue;
    return say(id, {{"kernel", launch.kernel},
                    {"shape", fmt::format("{}", fmt::join(extents, " x "))},
                    {"axis", std::string(1, "xyz"[axis])},
                    {"wanted", *wanted}});
  }
  return {};
}

bool belongs_to(Kernels kernels, const KernelLaunch& launch, const KernelLaunch& last) {
  if (kernels == Kernels::kLast) return launch.kernel == last.kernel;
  return kernels == Kernels::kAll || multiplications({&launch}) > 0;
}

/// The first thing that `breach_of` says of a launch in the range, of which one must have succeeded.
template <class F>
Sentence first_breach(const CaseFacts& facts, const std::string& range, Kernels kernels,
                      F breach_of) {
  const std::vector<const KernelLaunch*> launches = launches_in(facts.trace, range);
  if (launches.empty()) return why_no_launch(facts.trace, range);
  for (const KernelLaunch* launch : launches_run_in(facts.trace, range)) {
    if (!belongs_to(kernels, *launch, *launches.back())) continue;
    Sentence wrong = breach_of(*launch);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

Sentence bytes_text(const char* id, const KernelLaunch& launch, long bytes, std::string wanted) {
  return say(id, {{"kernel", launch.kernel}, {"bytes", bytes}, {"wanted", std::move(wanted)}});
}

Sentence bytes_breach(const char* id, const KernelLaunch& launch, long bytes,
                      const std::vector<Expression>& allowed, const Expression::Values& values) {
  const Result<std::string> wanted = unless_allowed(bytes, allowed, values);
  if (!wanted) return uncomputable(wanted.error());
  return wanted->empty() ? Sentence() : bytes_text(id, launch, bytes, *wanted);
}

Sentence sum_breach(const SharedMemoryRule& rule, const KernelLaunch& launch,
                    const Expression::Values& values) {
  const long bytes = launch.static_shared_bytes + launch.dynamic_shared_bytes;
  if (rule.at_least_bytes) {
    const Result<long> least = rule.at_least_bytes->value(values);
    if (!least) return uncomputable(least.error());
    if (bytes < *least)
      return bytes_text("shared.too_little", launch, bytes, std::to_string(*least));
  }
  if (rule.at_most_bytes) {
    const Result<long> most = rule.at_most_bytes->value(values);
    if (!most) return uncomputable(most.error());
    if (bytes > *most) return bytes_text("shared.too_much", launch, bytes, std::to_string(*most));
  }
  return {};
}

}  // namespace

Sentence breach(const BlockRule& rule, const CaseFacts& facts) {
  return first_breach(facts, rule.range, rule.kernels, [&](const KernelLaunch& launch) {
    return extent_breach("shape.block", launch, launch.block, {&rule.x, &rule.y, &rule.z},
                         facts.values);
  });
}

Sentence breach(const GridRule& rule, const CaseFacts& facts) {
  return first_breach(facts, rule.range, Kernels::kAll, [&](const KernelLaunch& launch) {
    return extent_breach("shape.grid", launch, launch.grid, {&rule.x, &rule.y, &rule.z},
                         facts.values);
  });
}

Sentence breach(const SharedMemoryRule& rule, const CaseFacts& facts) {
  return first_breach(facts, rule.range, rule.kernels, [&](const KernelLaunch& launch) {
    Sentence wrong = bytes_breach("shared.static", launch, launch.static_shared_bytes,
                                  rule.static_bytes, facts.values);
    if (wrong.empty())
      wrong = bytes_breach("shared.dynamic", launch, launch.dynamic_shared_bytes,
                           rule.dynamic_bytes, facts.values);
    return wrong.empty() ? sum_breach(rule, launch, facts.values) : wrong;
  });
}

}  // namespace warpgrade
