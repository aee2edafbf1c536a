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
  double ms = 0;         ///< Between two events around the launch.
  double kernel_ms = 0;  ///< The part from the kernel's start to its end, as CUPTI records it.
  std::vector<PipeTime> pipes;  ///< Longest first.
  double dram_bytes = 0;        ///< That DRAM moves.
  double load_clocks = 0;       ///< Until what a warp loads from global memory is there.
  double in_row_ms = 0;  ///< What it adds to its stream's time, behind what the stream did before.
};

}  // namespace warpgrade::emulator
