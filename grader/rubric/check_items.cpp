// SPDX-License-Identifier: MIT
#include "rubric/check_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"

namespace warpgrade {
namespace {

void check_points(const Rubric& rubric, const Yaml& items, Diagnostics& errors) {
  double sum = rubric.hidden_points;
  for (const Item& item : rubric.items) sum += item.points;
  // Where an item's points were wrong, the sum says nothing more.
  if (std::abs(sum - kTotalPoints) < 1e-9 || !errors.empty()) return;
  errors.add(items.place,
             fmt::format("the items' points add up to {}; make it {}", sum, kTotalPoints));
}

/// Whether the item `id` needs `needed`, perhaps by way of others.
bool needs(const Rubric& rubric, const std::string& id, const std::string& needed) {
  std::set<std::string> seen;
  std::vector<std::string> open = {id};
  while (!open.empty()) {
    const Item* item = rubric.find_item(open.back());
    open.pop_back();
    for (const std::string& need : item ? item->needs : std::vector<std::string>()) {
      if (need == needed) return true;
      if (seen.insert(need).second) open.push_back(need);
    }
  }
  return false;
}

/// Whether the list below the key names items that there are.
bool names_items(const Rubric& rubric, const Yaml& item, std::string_view key,
                 Diagnostics& errors) {
  const Yaml* const list = item.find(key);
  bool known = true;
  for (const Yaml& id : list ? list->elements : std::vector<Yaml>())
    known = check_known(id, "item", ids_of(rubric.items), errors) && known;
  return known;
}

void check_needs(const Rubric& rubric, const Yaml& items, Diagnostics& errors) {
  for (const Yaml& item : items.elements) {
    names_items(rubric, item, "where_passed", errors);
    const bool known = names_items(rubric, item, "needs", errors);
    const Yaml *const listed = item.find("needs"), *const id = item.find("id");
    if (known && listed && id && needs(rubric, id->text, id->text)) {
      errors.add(listed->place,
                 fmt::format("item '{}' needs itself, by way of what it needs; remove one of these",
                             id->text));
    }
  }
}

/// Whether a wrong answer shows wherever it runs, and so where it is timed.
bool is_compared_anywhere(const Item& item) {
  return std::any_of(item.outputs.begin(), item.outputs.end(),
                     [](const OutputRule& rule) { return rule.judged_on == JudgedOn::kAny; });
}

/// The performance item that needs this one, whose outputs its timed runs compare; nullptr where none does.
const Item* timed_by(const Rubric& rubric, const std::string& needed) {
  const auto found = std::find_if(rubric.items.begin(), rubric.items.end(), [&](const Item& item) {
    return item.kind == ItemKind::kPerformance && needs(rubric, item.id, needed);
  });
  return found == rubric.items.end() ? nullptr : &*found;
}

void check_made_output(const Yaml& output, const Item* timed, Diagnostics& errors) {
  const Yaml *const made_from = output.find("made_from"), *const range = output.find("computed_in");
  if (made_from == nullptr) return;
  if (range != nullptr)
    errors.add(range->place,
               "no kernel writes an output that is made from others; ask `on_device` about one of "
               "these instead");
  if (timed != nullptr)
    errors.add(made_from->place,
               fmt::format("item '{}' is timed and needs this one; let it need items whose outputs "
                           "the program writes",
                           timed->id));
}

/// Where the oracle makes an output, no kernel is known to have written it, and no timed run waits for it.
void check_made_outputs(const Rubric& rubric, const Yaml& items, Diagnostics& errors) {
  for (const Yaml& map : items.elements) {
    const Yaml *const outputs = map.find("outputs"), *const id = map.find("id");
    if (outputs == nullptr || id == nullptr) continue;
    const Item* const timed = timed_by(rubric, id->text);
    for (const Yaml& output : outputs->elements) check_made_output(output, timed, errors);
  }
}

/// No points for the speed of a wrong answer.
void check_performance(const Rubric& rubric, const Yaml& items, Diagnostics& errors) {
  for (const Yaml& map : items.elements) {
    const Yaml* id = map.find("id");
    const Item* item = id == nullptr ? nullptr : rubric.find_item(id->text);
    if (item == nullptr || item->kind != ItemKind::kPerformance) continue;
    const bool judged =
        std::any_of(item->needs.begin(), item->needs.end(), [&](const std::string& need) {
          const Item* other = rubric.find_item(need);
          // Whatever an unknown name stands for may be such an item.
          return other == nullptr || is_compared_anywhere(*other);
        });
    if (!judged)
      errors.add(map.place,
                 fmt::format("item '{}' would pay for the speed of a wrong answer; let it need "
                             "a correctness item with an output that is judged on any device",
                             item->id));
  }
}

}  // namespace

bool check_known(const Yaml& id, std::string_view noun, const std::vector<std::string>& ids,
                 Diagnostics& errors) {
  if (std::find(ids.begin(), ids.end(), id.text) != ids.end() && !id.text.empty()) return true;
  const std::string meant = nearest(id.text, ids);
  errors.add(id.place,
             fmt::format("there is no {} '{}'; {}", noun, id.text,
                         meant.empty() ? fmt::format("the {}s are {}", noun, join(ids, ", "))
                                       : fmt::format("did you mean '{}'?", meant)));
  return false;
}

void check_items(const Rubric& rubric, const Yaml& items, Diagnostics& errors) {
  check_points(rubric, items, errors);
  check_needs(rubric, items, errors);
  check_performance(rubric, items, errors);
  check_made_outputs(rubric, items, errors);
}

}  // namespace warpgrade
