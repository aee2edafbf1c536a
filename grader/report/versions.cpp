// SPDX-License-Identifier: MIT
#include "report/versions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace warpgrade {
namespace {

constexpr size_t kStudentsNamed = 5;

}  // namespace

std::string other_versions(const SubmissionResult& result, const Versions& present) {
  std::vector<std::string> others;
  for (const auto& [name, hash] : present) {
    const auto found = result.inputs.find(name);
    if (found == result.inputs.end() || found->second != hash) others.push_back("another " + name);
  }
  return join(others, " and ");
}

std::string describe_other_versions(const std::vector<SubmissionResult>& whole_class,
                                    const Versions& present) {
  std::vector<std::string> names, kinds;
  for (const SubmissionResult& result : whole_class) {
    const std::string others = other_versions(result, present);
    if (others.empty()) continue;
    names.push_back(result.student);
    if (std::find(kinds.begin(), kinds.end(), others) == kinds.end()) kinds.push_back(others);
  }
  if (names.empty()) return {};
  const size_t count = names.size();
  names.resize(std::min(count, kStudentsNamed));
  return fmt::format(
      "{} of {} rows in grades.csv {} graded with {} ({}{}): its column graded_with marks them; "
      "the "
      "same command with their submissions grades them again.",
      count, whole_class.size(), count == 1 ? "was" : "were", join(kinds, ", or "),
      join(names, ", "),
      count > kStudentsNamed ? fmt::format(" and {} more", count - kStudentsNamed) : "");
}

}  // namespace warpgrade
