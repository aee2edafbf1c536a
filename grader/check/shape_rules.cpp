// SPDX-License-Identifier: MIT
#include "check/shape_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "check/no_launch.h"

namespace warpgrade {
namespace {

/// "8 or 16" where `value` is none of the allowed ones; "" where it is, or anything is allowed.
std::string unless_allowed(long value, const std::vector<Expression>& allowed,
                           const Expression::Values& values) {
  std::vector<std::string> wanted;
  for (const Expression& expression : allowed) {
    const Result<long> number = expression.value(values);
    if (!number) return number.error().message;
    if (*number == value) return "";
    wanted.push_back(std::to_string(*number));
  }
  return join(wanted, " or ");
}

/// `shape` says the launch's: "blocks of 16 x 16 x 1 threads".
std::string extent_breach(const KernelLaunch& launch, const std::string& shape,
                          const Extent3& extents,
                          const std::vector<Expression>* const (&allowed)[3],
                          const Expression::Values& values) {
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::string wanted = unless_allowed(extents[axis], *allowed[axis], values);
    if (!wanted.empty())
      return fmt::format("kernel {} ran with {}, wanted {} = {}", launch.kernel, shape, "xyz"[axis],
                         wanted);
  }
  return "";
}

/// The first thing that `breach_of` says of a launch in the range.
template <class F>
std::string first_breach(const CaseFacts& facts, const std::string& range, F breach_of) {
  const std::vector<const KernelLaunch*> launches = launches_in(facts.trace, range);
  if (launches.empty()) return why_no_launch(facts.trace, range);
  for (const KernelLaunch* launch : launches) {
    std::string wrong = breach_of(*launch);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string bytes_breach(const KernelLaunch& launch, std::string_view kind, long bytes,
                         const std::vector<Expression>& allowed, const Expression::Values& values) {
  const std::string wanted = unless_allowed(bytes, allowed, values);
  if (wanted.empty()) return "";
  return fmt::format("kernel {} has {} bytes of {} shared memory for each block, wanted {}",
                     launch.kernel, bytes, kind, wanted);
}

std::string sum_breach(const SharedMemoryRule& rule, const KernelLaunch& launch,
                       const Expression::Values& values) {
  const long bytes = launch.static_shared_bytes + launch.dynamic_shared_bytes;
  const auto text = [&](const char* bound, long wanted) {
    return fmt::format("kernel {} has {} bytes of shared memory for each block, wanted {} {}",
                       launch.kernel, bytes, bound, wanted);
  };
  if (rule.at_least_bytes) {
    const Result<long> least = rule.at_least_bytes->value(values);
    if (!least) return least.error().message;
    if (bytes < *least) return text("at least", *least);
  }
  if (rule.at_most_bytes) {
    const Result<long> most = rule.at_most_bytes->value(values);
    if (!most) return most.error().message;
    if (bytes > *most) return text("at most", *most);
  }
  return "";
}

}  // namespace

std::string breach(const BlockRule& rule, const CaseFacts& facts) {
  return first_breach(facts, rule.range, [&](const KernelLaunch& launch) {
    return extent_breach(launch,
                         fmt::format("blocks of {} threads", fmt::join(launch.block, " x ")),
                         launch.block, {&rule.x, &rule.y, &rule.z}, facts.values);
  });
}

std::string breach(const GridRule& rule, const CaseFacts& facts) {
  return first_breach(facts, rule.range, [&](const KernelLaunch& launch) {
    return extent_breach(launch, fmt::format("a grid of {} blocks", fmt::join(launch.grid, " x ")),
                         launch.grid, {&rule.x, &rule.y, &rule.z}, facts.values);
  });
}

std::string breach(const SharedMemoryRule& rule, const CaseFacts& facts) {
  return first_breach(facts, rule.range, [&](const KernelLaunch& launch) {
    std::string wrong =
        bytes_breach(launch, "static", launch.static_shared_bytes, rule.static_bytes, facts.values);
    if (wrong.empty())
      wrong = bytes_breach(launch, "dynamic", launch.dynamic_shared_bytes, rule.dynamic_bytes,
                           facts.values);
    return wrong.empty() ? sum_breach(rule, launch, facts.values) : wrong;
  });
}

}  // namespace warpgrade
