// SPDX-License-Identifier: MIT
#include "course/quick.h"

#include <algorithm>
#include <set>
#include <string>

namespace warpgrade {
namespace {

using IdSet = std::set<std::string>;

bool is_wrong_answer(const KnownSubmission& known) {
  return known.role == Role::kMutant || known.role == Role::kClass;
}

/// The items that it loses, without those that are lost because they need one of the others.
IdSet own_losses(const Rubric& rubric, const KnownSubmission& known) {
  const std::vector<std::string>& lost = known.expectation.items;
  IdSet own;
  for (const std::string& id : lost) {
    const Item* item = rubric.find_item(id);
    const bool is_consequence =
        item != nullptr &&
        std::any_of(item->needs.begin(), item->needs.end(), [&](const std::string& need) {
          return std::find(lost.begin(), lost.end(), need) != lost.end();
        });
    if (!is_consequence) own.insert(id);
  }
  return own;
}

/// A program that loses every item proves none, because nothing tells the items apart.
IdSet proved_by(const Rubric& rubric, const KnownSubmission& known) {
  const auto judged = std::count_if(rubric.items.begin(), rubric.items.end(),
                                    [](const Item& item) { return item.kind != ItemKind::kBuild; });
  IdSet own = own_losses(rubric, known);
  if (judged > 1 && static_cast<long>(own.size()) >= judged) own.clear();
  return own;
}

size_t count_new(const IdSet& ids, const IdSet& known) {
  return static_cast<size_t>(std::count_if(
      ids.begin(), ids.end(), [&](const std::string& id) { return known.count(id) == 0; }));
}

/// Indices into `all` of a greedy cover, in no order.
std::set<size_t> greedy_cover(const Rubric& rubric, const std::vector<KnownSubmission>& all) {
  std::vector<IdSet> proved(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_wrong_answer(all[i])) proved[i] = proved_by(rubric, all[i]);
  }
  std::set<size_t> chosen;
  for (IdSet covered;;) {
    size_t best = 0, most = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const size_t more = count_new(proved[i], covered);
      // A mutant shows one mistake, a student of the sample class many.
      const bool is_plainer =
          more == most && all[best].role == Role::kClass && all[i].role == Role::kMutant;
      if (more > most || (more > 0 && is_plainer)) best = i;
      most = std::max(most, more);
    }
    if (most == 0) return chosen;
    chosen.insert(best);
    covered.insert(proved[best].begin(), proved[best].end());
  }
}

}  // namespace

std::vector<KnownSubmission> quick_set(const Rubric& rubric, std::vector<KnownSubmission> all) {
  const std::set<size_t> chosen = greedy_cover(rubric, all);
  std::vector<KnownSubmission> kept;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_always_kept = !is_wrong_answer(all[i]) && all[i].role != Role::kExploit;
    if (is_always_kept || chosen.count(i) != 0) kept.push_back(std::move(all[i]));
  }
  return kept;
}

}  // namespace warpgrade
