// SPDX-License-Identifier: MIT
#include "course/mutant_class.h"

#include <algorithm>

#include "base/text.h"

namespace warpgrade {

std::string mutant_class_of(std::string_view text, const std::vector<MistakeKind>& mistakes) {
  constexpr std::string_view kPrefix = "class:";
  text = trim(text);
  if (text.substr(0, kPrefix.size()) != kPrefix) return "";
  text = trim(text.substr(kPrefix.size()));
  const size_t end = std::min(text.find_first_of(".: "), text.size());
  const std::string id(text.substr(0, end));
  // Without a list of them, only the dot tells an id from the first word of a sentence.
  if (mistakes.empty() && end < text.size() && text[end] == ' ') return "";
  const bool is_known =
      mistakes.empty() || std::any_of(mistakes.begin(), mistakes.end(),
                                      [&](const MistakeKind& each) { return each.id == id; });
  return is_known ? id : "";
}

}  // namespace warpgrade
