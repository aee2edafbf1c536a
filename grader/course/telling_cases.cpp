// SPDX-License-Identifier: MIT
#include "course/telling_cases.h"

#include <algorithm>
#include <map>
#include <vector>

namespace warpgrade {
namespace {

constexpr long kStartMs = 50;  // what the shortest case takes

}  // namespace

std::set<std::string> telling_cases(const SubmissionResult& result,
                                    const std::map<std::string, long>& wall_ms) {
  const auto items_per_ms = [&](const std::string& id, size_t items) {
    const auto found = wall_ms.find(id);
    const long ms = kStartMs + (found == wall_ms.end() ? 0 : found->second);
    return static_cast<double>(items) / static_cast<double>(ms);
  };
  std::vector<const ItemResult*> open;
  for (const ItemResult& item : result.items) {
    if (item.cause.empty() && !item.lost_in.empty()) open.push_back(&item);
  }
  std::set<std::string> chosen;
  while (!open.empty()) {
    std::map<std::string, size_t> shown;
    std::string best;
    for (const ItemResult* item : open) {
      for (const std::string& id : item->lost_in) ++shown[id];
    }
    double most = 0;
    for (const auto& [id, items] : shown) {
      if (items_per_ms(id, items) <= most) continue;
      best = id;
      most = items_per_ms(id, items);
    }
    chosen.insert(best);
    std::erase_if(open, [&](const ItemResult* item) {
      return std::find(item->lost_in.begin(), item->lost_in.end(), best) != item->lost_in.end();
    });
  }
  return chosen;
}

}  // namespace warpgrade
