// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/expression.h"
#include "base/sentence.h"
#include "observe/timing/protocol.h"

namespace warpgrade {

/// The GPU that something was measured on.
struct MeasuredOn {
  std::string name;
  std::string uuid;
  std::string driver;
  double peak_gb_per_s = 0, peak_gflop_per_s = 0;  ///< 0 = unknown

  bool operator==(const MeasuredOn&) const = default;
};

/// What the timed pass on a GPU says of one case.
struct Measured {
  MeasuredOn gpu;
  TimedCase timed;
  Expression::Values values;   ///< the case's integer arguments there
  Sentence wrong_output = {};  ///< Empty where all outputs were right.
};

}  // namespace warpgrade
