// SPDX-License-Identifier: MIT
#include "intake/people/student_index.h"

#include "intake/people/name_key.h"

namespace warpgrade {

StudentIndex::StudentIndex(const std::vector<Submission>& submissions) {
  for (const Submission& each : submissions) {
    students_.insert(each.student);
    ids_[name_key(each.student)].insert(each.student);
    for (const auto& [kind, id] : each.identity.ids) ids_[name_key(id)].insert(each.student);
    if (!each.identity.name.empty()) names_[person_key(each.identity.name)].insert(each.student);
  }
}

std::vector<std::string> StudentIndex::find(std::string_view word) const {
  if (students_.count(std::string(word)) != 0) return {std::string(word)};
  if (const auto found = ids_.find(name_key(word)); found != ids_.end())
    return {found->second.begin(), found->second.end()};
  if (const auto found = names_.find(person_key(word)); found != names_.end())
    return {found->second.begin(), found->second.end()};
  return {};
}

}  // namespace warpgrade
