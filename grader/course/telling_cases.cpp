// SPDX-License-Identifier: MIT
#include "course/telling_cases.h"

#include <algorithm>
#include <map>
#include <vector>

namespace warpgrade {

std::set<std::string> telling_cases(const SubmissionResult& result) {
  std::vector<const ItemResult*> open;
  for (const ItemResult& item : result.items) {
    if (item.cause.empty() && !item.lost_in.empty()) open.push_back(&item);
  }
  std::set<std::string> chosen;
  while (!open.empty()) {
    std::map<std::string, size_t> shown;
    std::string best;
    for (const ItemResult* item : open) {
      for (const std::string& id : item->lost_in) {
        ++shown[id];
        if (best.empty()) best = id;
      }
    }
    for (const auto& [id, items] : shown) {
      if (items > shown[best]) best = id;
    }
    chosen.insert(best);
    std::erase_if(open, [&](const ItemResult* item) {
      return std::find(item->lost_in.begin(), item->lost_in.end(), best) != item->lost_in.end();
    });
  }
  return chosen;
}

}  // namespace warpgrade
