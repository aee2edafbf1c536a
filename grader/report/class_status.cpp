// SPDX-License-Identifier: MIT
#include "report/class_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/text.h"
#include "report/layout.h"

namespace warpgrade {
namespace {

constexpr size_t kNamesShown = 8;
constexpr size_t kHashShown = 8;
constexpr size_t kLabelColumns = 14;

std::string names(const std::vector<std::string>& students) {
  const size_t shown = std::min(students.size(), kNamesShown);
  const std::string first =
      join({students.begin(), students.begin() + static_cast<long>(shown)}, ", ");
  return shown == students.size() ? first
                                  : fmt::format("{} and {} more", first, students.size() - shown);
}

/// Text after a label, on as many lines as it takes.
std::string lines(const std::string& label, const std::string& text) {
  std::string out;
  for (const std::string& line : wrap(printable(text), kReportColumns - kLabelColumns - 2))
    out += pad_right(out.empty() ? label : "", kLabelColumns) + "  " + line + '\n';
  return out;
}

/// "final: 17" without names, others with.
template <class Is>
std::string count(const std::vector<SubmissionResult>& results, const std::string& label,
                  bool is_named, Is is) {
  std::vector<std::string> students;
  for (const SubmissionResult& result : results) {
    if (is(result)) students.push_back(result.student);
  }
  const bool has_names = is_named && !students.empty();
  return lines(label, fmt::format("{}{}", students.size(),
                                  has_names ? fmt::format(": {}", names(students)) : ""));
}

/// "3f2a1b9c for 18, 77ab12cd for 2 (ana, bob)": the most frequent first, and who has another.
std::string versions(const std::vector<SubmissionResult>& results, const std::string& kind) {
  std::map<std::string, std::vector<std::string>> students;
  for (const SubmissionResult& result : results) {
    const auto found = result.inputs.find(kind);
    students[found == result.inputs.end() ? "unknown" : found->second].push_back(result.student);
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> ordered(students.begin(),
                                                                        students.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::vector<std::string> texts;
  for (const auto& [hash, who] : ordered) {
    const std::string brief = hash.substr(0, kHashShown);
    texts.push_back(ordered.size() == 1 ? brief
                    : texts.empty()     ? fmt::format("{} for {}", brief, who.size())
                                    : fmt::format("{} for {} ({})", brief, who.size(), names(who)));
  }
  return join(texts, ", ");
}

}  // namespace

std::string format_status(const std::vector<SubmissionResult>& results) {
  using R = const SubmissionResult&;
  std::string out =
      count(results, "final", false,
            [](R each) { return !each.has_system_error() && !each.provisional; }) +
      count(results, "provisional", true,
            [](R each) { return !each.has_system_error() && each.provisional; }) +
      count(results, "not gradable", true, [](R each) { return each.has_system_error(); }) +
      count(results, "late", true,
            [](R each) { return each.late && each.late->late_minutes > 0; }) +
      count(results, "flagged", true, std::mem_fn(&SubmissionResult::is_flagged)) +
      count(results, "no sandbox", true, [](R each) { return each.sandbox.is_unsafe; });
  for (const char* kind : {"rubric", "grader", "toolkit", "toolchain", "seed"})
    out += lines(kind, versions(results, kind));
  return out;
}

}  // namespace warpgrade
