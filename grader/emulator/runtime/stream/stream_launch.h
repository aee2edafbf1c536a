// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/exec/launch_under_way.h"
#include "emulator/runtime/kernels.h"
#include "emulator/runtime/record/carried_work.h"
#include "emulator/runtime/withheld.h"

namespace warpgrade::emulator {

/// A kernel that a stream has begun. `depth`: of the launches that lead to this one, how many kernels made.
class StreamLaunch {
 public:
  StreamLaunch(ApiCall& call, const LoadedKernel& kernel, const KernelLaunch& wanted,
               LaunchRequest request, CUstream_st& stream, int depth);

  LaunchUnderWay& under_way() { return under_way_; }
  const CUstream_st& stream() const { return stream_; }
  int device() const { return request_.device; }
  const std::string& kernel() const { return kernel_.info->mangled; }

  /// It waits for what others write. Where the device holds other inputs than the host, it could not.
  void note_waiting(ApiCall& call) const;
  /// Once, at its end: writes down what it did, and reports what was found. `beside` are kernels that still wait; where this
  /// one came to a limit, they may wait for each other.
  void finish(ApiCall& call, const std::vector<const StreamLaunch*>& beside);

 private:
  void name_those_beside(const std::vector<const StreamLaunch*>& beside,
                         LaunchResult& result) const;

  const LoadedKernel kernel_;
  const int depth_;
  const LaunchRequest request_;
  CUstream_st& stream_;
  const std::string range_;
  StreamOperation operation_;
  const LaunchOptions options_;
  CarriedWork::ByAllocation carried_;
  LaunchUnderWay under_way_;
  std::optional<WithheldConstants> constants_;
};

}  // namespace warpgrade::emulator
