// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "sandbox/sandbox.h"

namespace warpgrade {

/// kNone keeps the limits only, for our own programs: same user, whole machine in view.
enum class SandboxBackend { kBubblewrap, kRlimits, kNone };

/// The sandbox of this machine. As root, each slot's commands run as an unprivileged user of their
/// own.
class LocalSandbox final : public Sandbox {
 public:
  explicit LocalSandbox(SandboxBackend backend) : backend_(backend) {}

  ProcessOutcome run(const Command& command) const override;
  bool hand_over(const fs::path& path, int slot) const override;
  std::string name() const override;

 private:
  SandboxBackend backend_;
};

/// The strongest backend that works here, found by running a command in it once.
LocalSandbox open_sandbox();

}  // namespace warpgrade
