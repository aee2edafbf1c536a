// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include "base/expression.h"
#include "check/arrays.h"
#include "observe/trace.h"

namespace warpgrade {

/// What was found about one demand. `message` says what was seen and what was wanted; empty where
/// it passed.
struct Judgement {
  bool passed = true;
  std::string message;

  static Judgement failed(std::string why) { return {false, std::move(why)}; }
};

/// What one run left behind for judging.
struct CaseFacts {
  Trace trace;
  Arrays outputs;
  Expression::Values values;  ///< the case's integer arguments
};

}  // namespace warpgrade
