// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "intake/submission.h"

namespace warpgrade {

/// Finds students by whatever a times file, an extension or a person calls them.
class StudentIndex {
 public:
  explicit StudentIndex(const std::vector<Submission>& submissions);

  /// The student whose id `word` is; else those with such an id of any kind; else those of such a name. Ids and names
  /// match in any case of letters and however accents are composed. Several where it may mean several.
  std::vector<std::string> find(std::string_view word) const;

 private:
  using Names = std::map<std::string, std::set<std::string>>;

  std::set<std::string> students_;
  Names ids_, names_;
};

}  // namespace warpgrade
