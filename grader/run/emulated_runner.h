// SPDX-License-Identifier: MIT
#pragma once

#include "run/device_process.h"
#include "run/runner.h"

namespace warpgrade {

/// Runs programs on the emulated device, each program in a room of its own, its device in another.
class EmulatedRunner final : public Runner {
 public:
  /// The parts lie in folders that any user may enter.
  EmulatedRunner(const Sandbox& sandbox, DeviceParts parts)
      : sandbox_(sandbox), parts_(std::move(parts)) {}

  std::unique_ptr<ProgramRuns> open(const ProgramPlace& place) const override;
  /// For runs of one case, whose device holds other inputs than the program has.
  std::unique_ptr<ProgramRuns> open(const ProgramPlace& place, OtherInputs inputs) const;

 private:
  const Sandbox& sandbox_;
  DeviceParts parts_;
};

}  // namespace warpgrade
