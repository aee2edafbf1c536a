// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

namespace warpgrade {

/// Who handed a submission in, as the download or the roster writes it. Each field is empty where neither says.
struct Identity {
  std::string name = {};  ///< "Ana Anić"
  /// By kind: "canvas", "moodle", "gradescope", "github", "email", "sis", "login", "attachment".
  std::map<std::string, std::string> ids = {};
  std::string handed_in = {};  ///< The file's path inside the download, as it was named there.
  std::vector<std::string> group =
      {};  ///< The members' student ids; empty for one who works alone.

  /// Takes the name and the ids that only `known` has: a later download or a call without the roster says less.
  void complete_by(const Identity& known) {
    if (name.empty()) name = known.name;
    ids.insert(known.ids.begin(), known.ids.end());
  }

  bool operator==(const Identity&) const = default;
};

}  // namespace warpgrade
