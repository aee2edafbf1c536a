// SPDX-License-Identifier: MIT
#pragma once

#include <nvtx3/nvToolsExt.h>

namespace warpgrade::harness {

/// Names what the student's code does inside the scope, for the grader's trace and for Nsight
/// Systems.
class Range {
 public:
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace warpgrade::harness
