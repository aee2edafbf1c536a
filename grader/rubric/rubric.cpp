// SPDX-License-Identifier: MIT
#include "rubric/rubric.h"

#include <algorithm>

namespace warpgrade {
namespace {

template <class T>
const T* find_by_id(const std::vector<T>& all, std::string_view id) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const T& each) { return each.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> Case::words() const {
  std::vector<std::string> words;
  for (const Arg& arg : args) {
    const long* number = std::get_if<long>(&arg.value);
    words.push_back(number ? std::to_string(*number) : std::get<std::string>(arg.value));
  }
  return words;
}

Expression::Values Case::values() const {
  Expression::Values values;
  for (const Arg& arg : args) {
    if (const long* number = std::get_if<long>(&arg.value)) values[arg.name] = *number;
  }
  return values;
}

const Case* Rubric::find_case(std::string_view id) const { return find_by_id(cases, id); }

const Item* Rubric::find_item(std::string_view id) const { return find_by_id(items, id); }

std::string_view to_string(ItemKind kind) {
  switch (kind) {
    case ItemKind::kBuild:
      return "build";
    case ItemKind::kCorrectness:
      return "correctness";
    case ItemKind::kRequirement:
      return "requirement";
    case ItemKind::kEfficiency:
      return "efficiency";
  }
  return "";
}

std::string_view to_string(Visibility visibility) {
  return visibility == Visibility::kPublic ? "public" : "hidden";
}

}  // namespace warpgrade
