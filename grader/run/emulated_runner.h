// SPDX-License-Identifier: MIT
#pragma once

#include "run/runner.h"

namespace warpgrade {

/// Runs programs on the emulated device, each in a sandbox of its own.
class EmulatedRunner final : public Runner {
 public:
  /// `device_library` is our libcudart.so.13 in a folder that any user may enter.
  EmulatedRunner(const Sandbox& sandbox, fs::path device_library)
      : sandbox_(sandbox), device_library_(std::move(device_library)) {}

  RunResult run(const RunRequest& request) const override;

 private:
  Command command_for(const RunRequest& request) const;

  const Sandbox& sandbox_;
  fs::path device_library_;
};

}  // namespace warpgrade
