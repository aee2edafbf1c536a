// SPDX-License-Identifier: MIT
#include "report/losses.h"

#include <algorithm>

#include "base/text.h"
#include "sentences/say.h"

namespace warpgrade {

std::string Loss::subject(const SubmissionResult& result) const {
  const bool is_all = ids.size() > 1 && ids.size() == result.items.size();
  return is_all ? say_in(result.language, "class.everything").text : join(ids, ", ");
}

std::string without_case(const std::string& note) {
  const size_t first = note.find("case"), end = note.find("': ");
  const bool has_place = end != std::string::npos && first < end && note.find('\'') < end &&
                         note.find(": ") == end + 1;
  return has_place ? note.substr(end + 3) : note;
}

std::string without_case(const std::string& reason, const std::string& case_id,
                         const std::string& language) {
  if (case_id.empty()) return reason;
  // Both sentences that name a case end with it, as the shorter one does: "'edges': ".
  const std::string named = say_in(language, "item.case", {{"case", case_id}, {"what", ""}}).text;
  const std::string before = named.substr(0, named.rfind(case_id));
  const size_t quote = before.rfind(' ');
  const std::string place = quote == std::string::npos ? named : named.substr(quote + 1);
  const size_t at = reason.find(place);
  return at == std::string::npos ? reason : reason.substr(at + place.size());
}

std::vector<Loss> losses_of(const SubmissionResult& result) {
  std::vector<Loss> losses;
  for (const ItemResult& item : result.items) {
    if (item.status == Outcome::kPassed) continue;
    const std::string reason = item.message.substr(0, item.message.find('\n'));
    auto same = std::find_if(losses.begin(), losses.end(), [&](const Loss& each) {
      return each.reason == reason && each.status == item.status;
    });
    if (same == losses.end())
      same = losses.insert(
          same,
          Loss{item.status, reason, without_case(reason, item.case_id, result.language), {}, 0});
    same->ids.push_back(item.id);
    same->points += item.max_points - item.points;
  }
  return losses;
}

}  // namespace warpgrade
