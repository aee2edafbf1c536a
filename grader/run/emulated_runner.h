// SPDX-License-Identifier: MIT
#pragma once

#include "run/runner.h"

namespace warpgrade {

/// Runs programs on the emulated device, each program in a room of its own.
class EmulatedRunner final : public Runner {
 public:
  /// `device_library` is our libcudart.so.13 in a folder that any user may enter. `ptxas` tells the
  /// time model what a kernel takes of a multiprocessor; only timed runs ask it.
  EmulatedRunner(const Sandbox& sandbox, fs::path device_library, fs::path ptxas)
      : sandbox_(sandbox), device_library_(std::move(device_library)), ptxas_(std::move(ptxas)) {}

  std::unique_ptr<ProgramRuns> open(const ProgramPlace& place) const override;

 private:
  const Sandbox& sandbox_;
  fs::path device_library_;
  fs::path ptxas_;
};

}  // namespace warpgrade
