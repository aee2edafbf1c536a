// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

namespace warpgrade::emulator {

/// One thing that bounds a launch, and the time that it would take on its own.
struct PipeTime {
  std::string_view name;         ///< "dram", "issue"...
  std::string_view description;  ///< In words.
  double ms = 0;
};

struct TimeEstimate {
  double ms = 0;
  std::vector<PipeTime> pipes;  ///< Longest first.
};

}  // namespace warpgrade::emulator
