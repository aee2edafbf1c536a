// SPDX-License-Identifier: MIT
#include "course/graded_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "emulator/counters/metric_names.h"

namespace warpgrade {
namespace {

constexpr const char* kDriver = "driver.cu";
constexpr const char* kAboutKernels[] = {"memory", "init", "race", "sync", "padding"};

/// The range of the finding, or else those in which its kernel was launched; empty for the driver's own
/// kernels.
std::set<std::string> ranges_of(const GradedCase& one, const Finding& finding) {
  if (finding.kernel.empty() || finding.file.ends_with(kDriver)) return {};
  if (!finding.range.empty()) return {finding.range};
  const auto found = one.ranges_of_kernel.find(finding.kernel);
  std::set<std::string> ranges;
  if (found != one.ranges_of_kernel.end()) ranges = found->second;
  ranges.erase("");
  return ranges;
}

std::string where(const GradedCase& one, const Finding& finding) {
  return fmt::format(
      "{} in {}{}", finding.kernel, one.case_id,
      finding.file.empty()
          ? ""
          : fmt::format(", {}:{}", finding.file.substr(finding.file.rfind('/') + 1), finding.line));
}

const NoFindingsRule* contradicted(const Item& item, const GradedCase& one,
                                   const Finding& finding) {
  for (const Rule& rule : item.rules) {
    const auto* none = std::get_if<NoFindingsRule>(&rule);
    if (none == nullptr || !contains(none->checkers, finding.checker)) continue;
    const std::set<std::string> ranges = ranges_of(one, finding);
    if (none->range.empty() ? !ranges.empty() : ranges.count(none->range) != 0) return none;
  }
  return nullptr;
}

/// Whether an item that is judged by the case was lost for such a finding: then it has its price.
bool is_charged(const Rubric& rubric, const SubmissionResult& result, const GradedCase& one,
                const Finding& finding) {
  return std::any_of(result.items.begin(), result.items.end(), [&](const ItemResult& line) {
    const Item* item = rubric.find_item(line.id);
    return item != nullptr && line.status == Outcome::kFailed && item->is_judged_by(one.case_id) &&
           contradicted(*item, one, finding) != nullptr;
  });
}

/// Whether the driver makes CUDA refuse something in the case: a program that goes on after that may do
/// anything, and how it reacts is judged by other items.
bool provokes_faults(const Rubric& rubric, const std::string& case_id) {
  const Case* const its = rubric.find_case(case_id);
  return its != nullptr && contains(its->kinds, "refused");
}

/// Whether some `findings` rule asks for it.
bool is_wanted(const Rubric& rubric, const GradedCase& one, const Finding& finding) {
  const std::set<std::string> ranges = ranges_of(one, finding);
  for (const Item& item : rubric.items) {
    for (const Rule& rule : item.rules) {
      const auto* wanted = std::get_if<FindingsRule>(&rule);
      if (wanted != nullptr && contains(wanted->checkers, finding.checker) &&
          ranges.count(wanted->range) != 0)
        return true;
    }
  }
  return false;
}

bool is_right(Role role) { return role == Role::kReference || role == Role::kAccepted; }

/// Every range that some item looks at.
std::map<std::string, std::string> items_by_range(const Rubric& rubric) {
  std::map<std::string, std::string> items;
  const auto add = [&](const std::string& range, const Item& item) {
    if (!range.empty()) items.emplace(range, item.id);
  };
  for (const Item& item : rubric.items) {
    for (const OutputRule& output : item.outputs) add(output.computed_in, item);
    if (item.metric) add(item.metric->range, item);
    for (const Rule& rule : item.rules) {
      std::visit(
          [&](const auto& each) {
            if constexpr (requires { each.range; }) add(each.range, item);
          },
          rule);
    }
  }
  return items;
}

}  // namespace

GradedCase note_case(const std::string& case_id, const RunResult& run, const Arrays& expected) {
  GradedCase one;
  one.case_id = case_id;
  for (const auto& [name, array] : run.outputs) {
    if (expected.count(name) != 0) one.arrays[name] = array.count();
  }
  Result<Trace> trace = parse_trace(run.trace);
  if (!trace) return one;
  for (const RangeMark& mark : trace->ranges) one.ranges.insert(mark.name);
  for (const KernelLaunch& launch : trace->launches) {
    one.ranges_of_kernel[launch.kernel].insert(launch.range);
    for (const auto& [name, value] : launch.metrics) one.counters.insert(name);
  }
  one.findings = std::move(trace->findings);
  return one;
}

std::vector<std::string> contradictions(const Rubric& rubric, Role role,
                                        const SubmissionResult& result,
                                        const std::vector<GradedCase>& cases) {
  std::vector<std::string> lines;
  for (const GradedCase& one : cases) {
    if (provokes_faults(rubric, one.case_id)) continue;
    for (const Finding& finding : one.findings) {
      const bool charged = is_charged(rubric, result, one, finding);
      for (const ItemResult& line : result.items) {
        const Item* item = rubric.find_item(line.id);
        if (line.status != Outcome::kPassed || item == nullptr || charged) continue;
        if (contradicted(*item, one, finding) != nullptr)
          lines.push_back(fmt::format("passes {}, although the {} checker found this: {}: {}",
                                      line.id, finding.checker, where(one, finding),
                                      finding.message));
      }
      const bool concerns_kernels = std::find(std::begin(kAboutKernels), std::end(kAboutKernels),
                                              finding.checker) != std::end(kAboutKernels);
      if (is_right(role) && concerns_kernels && !ranges_of(one, finding).empty() &&
          !is_wanted(rubric, one, finding))
        lines.push_back(fmt::format("is right, although the {} checker found this: {}: {}",
                                    finding.checker, where(one, finding), finding.message));
    }
  }
  return lines;
}

std::vector<std::string> unopened_ranges(const Rubric& rubric,
                                         const std::vector<GradedCase>& cases) {
  std::vector<std::string> lines;
  for (const auto& [range, item] : items_by_range(rubric)) {
    const bool seen = std::any_of(cases.begin(), cases.end(), [&, name = range](const auto& one) {
      return one.ranges.count(name) != 0;
    });
    if (!seen)
      lines.push_back(fmt::format(
          "item {} looks at the range '{}', which the driver opens in no case", item, range));
  }
  return lines;
}

std::vector<std::string> names_without_elements(const Rubric& rubric,
                                                const std::vector<GradedCase>& cases) {
  std::vector<std::string> lines;
  for (const Item& item : rubric.items) {
    for (const OutputRule& rule : item.outputs) {
      size_t most = 0;
      for (const GradedCase& one : cases) {
        const auto found = one.arrays.find(rule.array);
        if (found != one.arrays.end() && contains(item.cases, one.case_id))
          most = std::max(most, found->second);
      }
      if (most != 0 && rule.elements.size() > most)
        lines.push_back(fmt::format(
            "item {} names {} of '{}', which has {}; put a name that holds a comma in quotes",
            item.id, counted(static_cast<long>(rule.elements.size()), "element"), rule.array,
            most));
    }
  }
  return lines;
}

std::vector<std::string> unknown_counters(const std::vector<GradedCase>& cases) {
  const std::vector<std::string>& known = emulator::metric_names();
  std::set<std::string> unknown;
  for (const GradedCase& one : cases) {
    for (const std::string& name : one.counters) {
      if (!std::binary_search(known.begin(), known.end(), name)) unknown.insert(name);
    }
  }
  std::vector<std::string> lines;
  for (const std::string& name : unknown)
    lines.push_back(fmt::format(
        "the emulated device counts {}, which rubrics cannot name: add it to metric_names.cpp",
        name));
  return lines;
}

}  // namespace warpgrade
