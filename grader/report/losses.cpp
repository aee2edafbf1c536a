// SPDX-License-Identifier: MIT
#include "report/losses.h"

#include <algorithm>

#include "base/text.h"

namespace warpgrade {

std::string Loss::subject(const SubmissionResult& result) const {
  const bool is_all = ids.size() > 1 && ids.size() == result.items.size();
  return is_all ? "everything" : join(ids, ", ");
}

std::string without_case(const std::string& reason) {
  const size_t first = reason.find("case"), end = reason.find("': ");
  const bool has_place = end != std::string::npos && first < end && reason.find('\'') < end &&
                         reason.find(": ") == end + 1;
  return has_place ? reason.substr(end + 3) : reason;
}

std::vector<Loss> losses_of(const SubmissionResult& result) {
  std::vector<Loss> losses;
  for (const ItemResult& item : result.items) {
    if (item.status == Outcome::kPassed) continue;
    const std::string reason = item.message.substr(0, item.message.find('\n'));
    auto same = std::find_if(losses.begin(), losses.end(), [&](const Loss& each) {
      return each.reason == reason && each.status == item.status;
    });
    if (same == losses.end()) same = losses.insert(same, Loss{item.status, reason, {}, 0});
    same->ids.push_back(item.id);
    same->points += item.max_points - item.points;
  }
  return losses;
}

}  // namespace warpgrade
