// SPDX-License-Identifier: MIT
#include "pipeline/swapped_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace warpgrade {
namespace {

bool is_of_kind(const Case& one, std::string_view kind) {
  return std::find(one.kinds.begin(), one.kinds.end(), kind) != one.kinds.end();
}

bool is_swapped(const Case& one) { return is_of_kind(one, "swapped"); }

/// The outputs of the items that judge the case, and of these the ones that the items ask a range to compute.
struct AskedOutputs {
  std::set<std::string> arrays;
  std::map<std::string, std::set<std::string>> by_range;
};

AskedOutputs asked_outputs(const Rubric& rubric, const std::string& case_id) {
  AskedOutputs asked;
  for (const Item& item : rubric.items) {
    if (!item.is_judged_by(case_id)) continue;
    for (const OutputRule& rule : item.outputs) {
      asked.arrays.insert(rule.array);
      if (!rule.computed_in.empty()) asked.by_range[rule.computed_in].insert(rule.array);
    }
    for (const Rule& rule : item.rules) {
      if (const auto* const on_device = std::get_if<OnDeviceRule>(&rule))
        asked.by_range[on_device->range].insert(on_device->array);
    }
  }
  return asked;
}

std::set<std::string> asked_ranges(const Rubric& rubric, const std::string& case_id) {
  const AskedOutputs asked = asked_outputs(rubric, case_id);
  std::set<std::string> ranges;
  for (const auto& [range, arrays] : asked.by_range) {
    if (std::any_of(arrays.begin(), arrays.end(),
                    [&](const std::string& array) { return asked.arrays.contains(array); }))
      ranges.insert(range);
  }
  return ranges;
}

/// A range and the family of the inputs that it computes from.
using Subject = std::pair<std::string, std::string>;

/// What the swapped cases are about. Inputs of other families may be alike where they are not the same, as positions are.
std::set<Subject> swapped_subjects(const Rubric& rubric) {
  std::set<Subject> subjects;
  for (const Case& each : rubric.cases) {
    if (!is_swapped(each)) continue;
    for (const std::string& range : asked_ranges(rubric, each.id))
      subjects.emplace(range, each.family);
  }
  return subjects;
}

/// The ranges about which one of the other cases is like a swapped one. A timed case is too large to run again for luck.
std::set<std::string> ranges_to_swap(const Rubric& rubric, const Case& one,
                                     const std::set<Subject>& swapped) {
  if (is_swapped(one) || is_of_kind(one, "timed")) return {};
  std::set<std::string> ranges = asked_ranges(rubric, one.id);
  std::erase_if(ranges, [&](const std::string& range) {
    return !swapped.contains({range, one.family});
  });
  return ranges;
}

}  // namespace

bool asks_who_computes(const Rubric& rubric, const std::string& case_id, const std::string& range) {
  return asked_ranges(rubric, case_id).contains(range);
}

bool is_swapped(const Rubric& rubric, const std::string& case_id) {
  const Case* const found = rubric.find_case(case_id);
  return found != nullptr && is_swapped(*found);
}

std::set<std::string> swapped_cases(const Rubric& rubric, std::string_view key) {
  const std::set<Subject> swapped = swapped_subjects(rubric);
  std::map<std::string, const Case*> by_chance;
  for (const Case& each : rubric.cases)
    by_chance[sha256_hex(fmt::format("swapped\n{}\n{}", key, each.id))] = &each;
  std::set<std::string> chosen, covered;
  for (const auto& [hash, one] : by_chance) {
    std::set<std::string> ranges = ranges_to_swap(rubric, *one, swapped);
    const size_t before = covered.size();
    covered.merge(ranges);
    if (is_swapped(*one) || covered.size() > before) chosen.insert(one->id);
  }
  return chosen;
}

std::set<std::string> all_that_may_be_swapped(const Rubric& rubric) {
  const std::set<Subject> swapped = swapped_subjects(rubric);
  std::set<std::string> all;
  for (const Case& each : rubric.cases)
    if (is_swapped(each) || !ranges_to_swap(rubric, each, swapped).empty()) all.insert(each.id);
  return all;
}

}  // namespace warpgrade
