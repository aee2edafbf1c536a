// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "base/expression.h"
#include "base/sentence.h"
#include "observe/timing/protocol.h"
#include "observe/work.h"

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
  /// By range: where the student's program did other work than the emulated device had judged.
  std::map<std::string, WorkDifference> other_work = {};
};

}  // namespace warpgrade
