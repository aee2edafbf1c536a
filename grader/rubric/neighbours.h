// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "rubric/rubric.h"
#include "rubric/yaml.h"

namespace warpgrade {

/// The names that source files can use at run time: their string literals, and what their comments
/// `// names: a, b` list.
class CodeWords {
 public:
  CodeWords() = default;
  explicit CodeWords(std::string_view source);

  void add(const CodeWords& other);
  /// Whether `name` is one of them, or two of at least two bytes each put together ("copy" + "_again").
  bool can_say(const std::string& name) const;
  /// Whether one of them of at least two bytes is among the parts of `name` between underscores.
  bool say_part_of(const std::string& name) const;
  /// Those that a rubric could name.
  std::vector<std::string> names() const;

 private:
  std::set<std::string> words_;
};

/// What stands beside a rubric in its course. A part that is absent, as in a student's handout, is not
/// checked.
struct Neighbours {
  std::optional<CodeWords> driver;                    ///< With the headers of the assignment.
  std::optional<CodeWords> oracle;                    ///< The same.
  std::optional<std::vector<std::string>> baselines;  ///< "reference" is the model answer.
};

/// Reads `course`/assignments/`slug` and the names of `course`/reference/`slug`/baselines.
Neighbours read_neighbours(const Files& files, const fs::path& course, const std::string& slug);

/// Reports ranges and arrays that the driver never names, expected arrays and families that the oracle
/// never names, and baselines without a file. `root` is what the rubric was read from, without a
/// mistake of its own.
void check_neighbours(const Yaml& root, const Neighbours& neighbours, Diagnostics& errors);

}  // namespace warpgrade
