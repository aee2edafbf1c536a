// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "emulator/exec/launch.h"
#include "emulator/runtime/host.h"
#include "emulator/runtime/toolkit.h"

namespace warpgrade::emulator {

struct Machine;

/// An error that a call returned and that the program has not asked about since. Whether it looked
/// at the returned value itself cannot be seen.
struct UnseenError {
  std::string call;
  cudaError_t error = cudaSuccess;
  HostPlace place = {};
  bool went_on = false;  ///< Other calls than those that clean up came after it.
};

/// "cudaMalloc returned cudaErrorMemoryAllocation (out of memory), and the program went on..."
Finding finding_of(const UnseenError& unseen);

/// Remembers how a call ended; what it returned is `result`.
void note_result(Machine& machine, const char* call, cudaError_t result);

/// What the program did to the grader's own means; empty where it left them alone.
std::vector<Finding> tampering(const Machine& machine);

/// What the api checker says when the process ends: errors that nobody looked at, and what was never
/// given back. One finding for each call that made it.
std::vector<Finding> findings_at_exit(Machine& machine);

}  // namespace warpgrade::emulator
