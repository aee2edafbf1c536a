// SPDX-License-Identifier: MIT
#include "check/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>

#include "check/call_rules.h"
#include "check/launch_rules.h"
#include "check/memory_rules.h"
#include "check/shape_rules.h"

namespace warpgrade {
namespace {

template <class T>
Judgement judge(const T& rule, const CaseFacts& facts) {
  std::string message = breach(rule, facts);
  return message.empty() ? Judgement() : Judgement::failed(std::move(message));
}

Judgement judge(const SanitizerRule&, const CaseFacts&) {
  return Judgement::waits("not measured: no GPU");
}

}  // namespace

Judgement judge_rule(const Rule& rule, const CaseFacts& facts) {
  return std::visit([&](const auto& typed) { return judge(typed, facts); }, rule);
}

std::string describe_finding(const Finding& finding) {
  std::string text = finding.file.empty()
                         ? finding.message
                         : fmt::format("{}:{}: {}", finding.file, finding.line, finding.message);
  if (finding.kernel.empty()) return text;
  return text + fmt::format(" (kernel {}, block ({}), thread ({}))", finding.kernel,
                            fmt::join(finding.block, ", "), fmt::join(finding.thread, ", "));
}

}  // namespace warpgrade
