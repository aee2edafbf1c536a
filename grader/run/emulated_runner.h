// SPDX-License-Identifier: MIT
#pragma once

#include "run/runner.h"

namespace warpgrade {

/// Runs programs on the emulated device, each program in a room of its own.
class EmulatedRunner final : public Runner {
 public:
  /// `device_library` is our libcudart.so.13 in a folder that any user may enter.
  EmulatedRunner(const Sandbox& sandbox, fs::path device_library)
      : sandbox_(sandbox), device_library_(std::move(device_library)) {}

  std::unique_ptr<ProgramRuns> open(const ProgramPlace& place) const override;

 private:
  const Sandbox& sandbox_;
  fs::path device_library_;
};

}  // namespace warpgrade
