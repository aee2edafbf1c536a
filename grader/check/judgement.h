// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/expression.h"
#include "base/result.h"
#include "base/sentence.h"
#include "check/arrays.h"
#include "check/flag.h"
#include "check/measured.h"
#include "check/wrong_map.h"
#include "observe/hardware_counters.h"
#include "observe/sanitizer.h"
#include "observe/trace.h"

namespace warpgrade {

/// What was found about one demand.
struct Judgement {
  bool passed = true;
  Sentence message = {};  ///< What was seen and what was wanted; may be empty where it passed.
  double fraction = 1;    ///< The share of the points by the item's curve; 0 where it did not pass.
  bool pending = false;   ///< Cannot be judged here; not passed.
  bool provisional = false;   ///< Judged by the time model, for want of a GPU.
  bool system_error = false;  ///< Could not be judged, and it is not the student's fault.
  bool undecided = false;     ///< Measured, but not well enough to tell from fewer points.
  std::vector<Flag> flags = {};
  std::optional<double> value = {};  ///< The number that a curve was asked for.
  std::optional<WrongMap> map = {};  ///< Where an output is wrong.

  static Judgement failed(Sentence why) { return {false, std::move(why), 0}; }
  static Judgement waits(Sentence why) { return {false, std::move(why), 0, true}; }
};

/// A formula of the rubric that cannot be computed: the staff's mistake, not the program's.
Sentence uncomputable(const Error& error);

/// What a baseline's program took on the same case: milliseconds for each NVTX range. An Error
/// where it could not be run.
using BaselineTimes = Result<std::map<std::string, double>>;

/// Reads the arrays that a case gave the program; empty where there are none to read.
using InputReader = std::function<Result<Arrays>()>;

/// What one run left behind for judging.
struct CaseFacts {
  Trace trace;
  Arrays outputs;
  Expression::Values values;                            ///< the case's integer arguments
  std::map<std::string, BaselineTimes> baselines = {};  ///< by name; a student has none at home
  std::map<std::string, SanitizerRun> sanitizer = {};   ///< by tool; none without a GPU
  std::map<std::string, CounterValues> hardware = {};   ///< by NVTX range; none without a GPU
  std::optional<Measured> measured = {};  ///< on a GPU; takes the place of all other times
  InputReader inputs = {};                ///< called when some rule asks for them
};

}  // namespace warpgrade
