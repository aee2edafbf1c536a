// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "score/score.h"

namespace warpgrade {

/// The first element of an output that is not as expected.
struct FirstWrong {
  std::string array;
  std::string place;  ///< "[3, 17]"
  std::string expected, got;
  std::string wrong, count;  ///< Elements: "65" of "2145".
};

/// What the item's reason says of it, where the student reads it in the item's message already; else nothing.
std::optional<FirstWrong> first_wrong_of(const ItemResult& item, const std::string& language);

}  // namespace warpgrade
