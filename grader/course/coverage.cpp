// SPDX-License-Identifier: MIT
#include "course/coverage.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "plan/words.h"

namespace warpgrade {
namespace {

using Kinds = std::set<std::string>;
using Items = std::vector<const Item*>;

constexpr size_t kMostCases = 4;  // that a complaint names

Kinds kinds_of(const Rubric& rubric, const std::vector<std::string>& case_ids) {
  Kinds kinds;
  for (const Case& each : rubric.cases) {
    if (contains(case_ids, each.id)) kinds.insert(each.kinds.begin(), each.kinds.end());
  }
  return kinds;
}

/// "edge (wide, tall)": a kind and the ids of its cases.
std::string kind_with_cases(const Rubric& rubric, const std::string& kind) {
  std::vector<std::string> ids;
  for (const Case& each : rubric.cases) {
    if (contains(each.kinds, kind)) ids.push_back(each.id);
  }
  if (ids.size() > kMostCases) {
    ids.resize(kMostCases);
    ids.emplace_back("...");
  }
  return fmt::format("{} ({})", kind, join(ids, ", "));
}

bool is_left_out(const Items& items, const std::string& kind) {
  return std::any_of(items.begin(), items.end(),
                     [&](const Item* item) { return item->leaves_out.count(kind) != 0; });
}

/// Puts together what several items ask alike.
template <class Demand>
class Groups {
 public:
  void add(const Demand& demand, const Item& item) {
    auto found = std::find_if(groups_.begin(), groups_.end(),
                              [&](const auto& group) { return group.first == demand; });
    if (found == groups_.end()) found = groups_.insert(groups_.end(), {demand, {}});
    if (found->second.empty() || found->second.back() != &item) found->second.push_back(&item);
  }
  const std::vector<std::pair<Demand, Items>>& all() const { return groups_; }

 private:
  std::vector<std::pair<Demand, Items>> groups_;
};

class Covering {
 public:
  explicit Covering(const Rubric& rubric) : rubric_(rubric) {
    Kinds all;
    for (const Case& each : rubric.cases) all.insert(each.kinds.begin(), each.kinds.end());
    for (const std::string& kind : case_kinds()) {
      // A second run of a case of another kind covers nothing more.
      if (all.count(kind) != 0 && kind != "swapped") table_.kinds.push_back(kind);
    }
  }

  CoverageTable cover(const ArraysOfCases& outputs) {
    check_cases();
    check_reasons();
    cover_rules();
    cover_arrays(outputs);
    return std::move(table_);
  }

 private:
  void check_cases() {
    if (!rubric_.proof.covers_case_kinds) return;
    for (const Case& each : rubric_.cases) {
      if (each.kinds.empty())
        table_.complaints.push_back(fmt::format("case {} has no 'kinds'; add one or more of {}",
                                                each.id, join(case_kinds(), ", ")));
    }
  }

  void check_reasons() {
    for (const Item& item : rubric_.items) {
      const Kinds judged = kinds_of(rubric_, item.cases);
      for (const auto& [kind, reason] : item.leaves_out) {
        if (judged.count(kind) != 0)
          table_.complaints.push_back(fmt::format(
              "item {} leaves out {}, and is judged in such cases; remove one of the two", item.id,
              kind_with_cases(rubric_, kind)));
        if (!contains(table_.kinds, kind))
          table_.complaints.push_back(
              fmt::format("item {} leaves out {}, and no case is of that kind; remove it from "
                          "'leaves_out'",
                          item.id, kind));
      }
    }
  }

  void cover_rules() {
    Groups<Rule> rules;
    Groups<Metric> metrics;
    for (const Item& item : rubric_.items) {
      for (const Rule& rule : item.rules) rules.add(rule, item);
      if (item.kind == ItemKind::kEfficiency && item.metric) metrics.add(*item.metric, item);
    }
    for (const auto& [rule, items] : rules.all())
      add(fmt::format("the rule '{}'", describe(rule)), items, table_.kinds);
    for (const auto& [metric, items] : metrics.all())
      add(fmt::format("the metric '{}'", describe(metric)), items, table_.kinds);
  }

  void cover_arrays(const ArraysOfCases& outputs) {
    Groups<std::string> judged;
    for (const Item& item : rubric_.items) {
      for (const OutputRule& output : item.outputs) judged.add(output.array, item);
    }
    std::map<std::string, Kinds> written;
    for (const auto& [case_id, arrays] : outputs) {
      const Kinds kinds = kinds_of(rubric_, {case_id});
      for (const std::string& array : arrays) written[array].insert(kinds.begin(), kinds.end());
    }
    for (const auto& [array, items] : judged.all()) {
      std::vector<std::string> kinds;
      for (const std::string& kind : table_.kinds) {
        if (written[array].count(kind) != 0) kinds.push_back(kind);
      }
      written.erase(array);
      add(fmt::format("the array '{}'", array), items, kinds);
    }
    for (const auto& [array, kinds] : written)
      table_.complaints.push_back(fmt::format(
          "the array '{}' is written and expected, and no item compares it; add it to an item's "
          "'outputs', or let the oracle leave it out",
          array));
  }

  void add(const std::string& what, const Items& items, const std::vector<std::string>& kinds) {
    CoverageRow row{what, {}, {}};
    Kinds judged;
    for (const Item* item : items) {
      row.items.push_back(item->id);
      judged.merge(kinds_of(rubric_, item->cases));
    }
    for (const std::string& kind : kinds) {
      row.kinds[kind] = judged.count(kind) != 0    ? Coverage::kJudged
                        : is_left_out(items, kind) ? Coverage::kLeftOut
                                                   : Coverage::kMissing;
      if (row.kinds[kind] == Coverage::kMissing && rubric_.proof.covers_case_kinds)
        table_.complaints.push_back(fmt::format(
            "{} of {} {} is judged in no case of kind {}; add such a case to an item, or give the "
            "reason under 'leaves_out'",
            what, items.size() == 1 ? "item" : "items", join(row.items, ", "),
            kind_with_cases(rubric_, kind)));
    }
    table_.rows.push_back(std::move(row));
  }

  const Rubric& rubric_;
  CoverageTable table_;
};

}  // namespace

std::string_view to_string(Coverage coverage) {
  switch (coverage) {
    case Coverage::kJudged:
      return "judged";
    case Coverage::kLeftOut:
      return "left out";
    case Coverage::kMissing:
      return "MISSING";
  }
  return "";
}

CoverageTable cover(const Rubric& rubric, const ArraysOfCases& outputs) {
  return Covering(rubric).cover(outputs);
}

}  // namespace warpgrade
