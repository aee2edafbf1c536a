// SPDX-License-Identifier: MIT
#include "rubric/charge_once.h"

#include <algorithm>
#include <string>
#include <variant>

namespace warpgrade {
namespace {

/// Whether an item asks the memory checker about all that the range does.
bool checks_memory(const Rubric& rubric, const std::string& range) {
  const auto asks = [&](const Rule& rule) {
    const auto* const none = std::get_if<NoFindingsRule>(&rule);
    return none != nullptr && (none->range.empty() || none->range == range) &&
           std::count(none->checkers.begin(), none->checkers.end(), "memory") != 0;
  };
  return std::any_of(rubric.items.begin(), rubric.items.end(), [&](const Item& item) {
    return std::any_of(item.rules.begin(), item.rules.end(), asks);
  });
}

}  // namespace

void charge_once(Rubric& rubric) {
  for (Item& item : rubric.items) {
    for (Rule& rule : item.rules) {
      if (auto* const freed = std::get_if<FreedRule>(&rule))
        freed->refusals_cost_elsewhere = checks_memory(rubric, freed->range);
    }
  }
}

}  // namespace warpgrade
