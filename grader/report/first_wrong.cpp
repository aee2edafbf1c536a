// SPDX-License-Identifier: MIT
#include "report/first_wrong.h"

#include "sentences/say.h"

namespace warpgrade {
namespace {

constexpr std::string_view kSentence = "output.wrong(";

/// What stands in a sentence's key between two of its arguments, which are in the order of their names.
std::string between(std::string_view key, std::string_view from, std::string_view to) {
  const size_t begin = key.find(from);
  if (begin == std::string_view::npos) return {};
  const size_t end = key.find(to, begin + from.size());
  if (end == std::string_view::npos) return {};
  return std::string(key.substr(begin + from.size(), end - begin - from.size()));
}

}  // namespace

std::optional<FirstWrong> first_wrong_of(const ItemResult& item, const std::string& language) {
  // The sentence itself, or within the one that names a pattern of the errors.
  const std::string whole = item.reason.key();
  const size_t begin = whole.find(kSentence);
  if (begin == std::string::npos) return std::nullopt;
  const std::string_view key = std::string_view(whole).substr(begin);
  FirstWrong first{between(key, "array=", ", count="),    between(key, ", place=", ", wrong="),
                   between(key, ", expected=", ", got="), between(key, ", got=", ", owner="),
                   between(key, ", wrong=", ")"),         between(key, ", count=", ", expected=")};
  if (first.place.empty()) return std::nullopt;
  // The reason may come from a hidden case, of which the message holds nothing.
  const std::string told = say_in(language, "output.wrong",
                                  {{"array", first.array},
                                   {"wrong", first.wrong},
                                   {"count", first.count},
                                   {"place", first.place},
                                   {"expected", first.expected},
                                   {"got", first.got},
                                   {"owner", ""}})
                               .text;
  if (item.student_message.find(told) == std::string::npos) return std::nullopt;
  return first;
}

}  // namespace warpgrade
