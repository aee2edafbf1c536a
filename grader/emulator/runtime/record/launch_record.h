// SPDX-License-Identifier: MIT
#pragma once

#include "emulator/runtime/kernels.h"

namespace warpgrade::emulator {

/// Whether the device began a launch.
enum class Begun { no, yes };

/// Writes down what a launch came to and did, wherever someone wants it: metrics, profile, timeline, the time
/// model's log and the trace. `range`: that it was launched in.
void record_launch(ApiCall& call, const LoadedKernel& kernel, const LaunchRequest& request,
                   const CUstream_st& stream, Begun begun, cudaError_t code,
                   const std::string& range, const LaunchResult& result);

}  // namespace warpgrade::emulator
