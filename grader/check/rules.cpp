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
Judgement judge_rule(const Rule& rule, const CaseFacts& facts) {
  std::string message = std::visit([&](const auto& typed) { return breach(typed, facts); }, rule);
  if (!message.empty()) return Judgement::failed(std::move(message));
  return {};
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
