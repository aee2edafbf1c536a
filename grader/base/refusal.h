// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

namespace warpgrade {

/// Why something that a student handed in was not taken: the id and the arguments of a sentence, which every language
/// says for itself. Empty where it was taken.
struct Refusal {
  std::string id = {};
  std::map<std::string, std::string> args = {};

  bool empty() const { return id.empty(); }
  bool operator==(const Refusal&) const = default;
};

}  // namespace warpgrade
