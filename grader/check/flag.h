// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace warpgrade {

/// Something for the staff to look at; by itself it takes no point.
struct Flag {
  std::string what;      ///< one of a few phrases, such as "faster than this device can be"
  std::string evidence;  ///< the numbers

  bool operator==(const Flag&) const = default;
};

}  // namespace warpgrade
