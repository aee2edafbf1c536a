// SPDX-License-Identifier: MIT
#include "rubric/rubric.h"
#include "base/text.h"

#include <algorithm>
#include <set>

namespace warpgrade {
namespace {

template <class T>
const T* find_by_id(const std::vector<T>& all, std::string_view id) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const T& each) { return each.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> Case::words() const {
  std::vector<std::string> words;
  for (const Arg& arg : args) {
    const long* number = std::get_if<long>(&arg.value);
    words.push_back(number ? std::to_string(*number) : std::get<std::string>(arg.value));
  }
  return words;
}

Expression::Values Case::values() const {
  Expression::Values values;
  for (const Arg& arg : args) {
    if (const long* number = std::get_if<long>(&arg.value)) values[arg.name] = *number;
  }
  return values;
}

Case Case::timed_on_gpu() const {
  Case timed = *this;
  for (const Arg& larger : on_gpu) {
    for (Arg& arg : timed.args) {
      if (arg.name == larger.name) arg.value = larger.value;
    }
  }
  return timed;
}

bool Hint::fits_one_of(const std::vector<std::string>& ids) const {
  const auto holds = [&](const std::string& id) {
    return std::any_of(fits.begin(), fits.end(), [&](const std::string& each) {
      return id == each || id.starts_with(each + '.');
    });
  };
  return fits.empty() || std::any_of(ids.begin(), ids.end(), holds);
}

bool Item::is_judged_by(std::string_view case_id) const {
  return std::find(cases.begin(), cases.end(), case_id) != cases.end();
}

const Case* Rubric::find_case(std::string_view id) const { return find_by_id(cases, id); }

const Item* Rubric::find_item(std::string_view id) const { return find_by_id(items, id); }

Rubric select(Rubric rubric, const Selection& selection) {
  const auto is_left_out = [&](const std::string& id) {
    const Case* each = rubric.find_case(id);
    const bool named = selection.case_ids.empty() || contains(selection.case_ids, id);
    return !named || (each->visibility == Visibility::kHidden && !selection.hidden);
  };
  std::set<std::string> dropped;
  for (Item& item : rubric.items) {
    if (item.kind == ItemKind::kBuild) continue;
    std::erase_if(item.cases, is_left_out);
    if (item.cases.empty()) dropped.insert(item.id);
  }
  std::erase_if(rubric.items, [&](const Item& item) { return dropped.count(item.id) > 0; });
  for (Item& item : rubric.items) {
    for (std::vector<std::string>* others : {&item.needs, &item.where_passed})
      std::erase_if(*others, [&](const std::string& id) { return dropped.count(id) > 0; });
  }
  std::vector<Case> kept = rubric.cases;
  std::erase_if(kept, [&](const Case& each) { return is_left_out(each.id); });
  rubric.cases = std::move(kept);
  return rubric;
}

const std::vector<std::string>& case_kinds() {
  static const std::vector<std::string> kinds = {"whole", "edge",   "single",  "empty",
                                                 "gaps",  "values", "devices", "refused",
                                                 "timed", "swapped"};
  return kinds;
}

const std::vector<std::string>& derived_counters() {
  static const std::vector<std::string> names = {
      "sectors_per_global_load",
      "sectors_per_global_store",
      "global_loads_per_warp",
      "global_stores_per_warp",
      "global_load_sectors",
      "global_load_requests",
      "global_store_sectors",
      "shared_load_conflicts",
      "shared_store_conflicts",
      "global_atomics_per_block",
      "shared_atomics_per_block",
      "addresses_per_constant_load",
      "multiplications_per_thread",
      "floating_point_additions",
      "different_launches",
      "atomic_updates",
      "writing_threads",
  };
  return names;
}

const std::vector<std::string>& hardware_counters() {
  static const std::vector<std::string> names = {
      "global_load_efficiency",
      "global_store_efficiency",
      "sectors_per_global_load",
      "sectors_per_global_store",
      "shared_bank_conflicts_per_access",
      "achieved_occupancy",
      "dram_bytes",
      "dram_read_bytes",
      "dram_write_bytes",
      "l1_hit_rate",
      "l2_hit_rate",
      "branch_uniformity",
      "active_threads_per_warp",
      "local_memory_instructions",
      "tensor_instructions",
  };
  return names;
}

const std::vector<std::string>& sanitizer_tools() {
  static const std::vector<std::string> names = {"memcheck", "racecheck", "initcheck", "synccheck"};
  return names;
}

const std::vector<std::string>& time_metrics() {
  static const std::vector<std::string> names = {"speedup", "time_ms", "gb_per_s", "gflop_per_s"};
  return names;
}

std::string_view to_string(ItemKind kind) {
  switch (kind) {
    case ItemKind::kBuild:
      return "build";
    case ItemKind::kCorrectness:
      return "correctness";
    case ItemKind::kRequirement:
      return "requirement";
    case ItemKind::kEfficiency:
      return "efficiency";
    case ItemKind::kPerformance:
      return "performance";
  }
  return "";
}

std::string_view to_string(Visibility visibility) {
  return visibility == Visibility::kPublic ? "public" : "hidden";
}

}  // namespace warpgrade
