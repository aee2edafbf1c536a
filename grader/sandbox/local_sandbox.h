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
  /// `supervisor` is the program room-supervisor; without one each command gets its own sandbox.
  explicit LocalSandbox(SandboxBackend backend, fs::path supervisor = {})
      : backend_(backend), supervisor_(std::move(supervisor)) {}

  ProcessOutcome run(const Command& command) const override;
  std::unique_ptr<Room> open(const Command& view) const override;
  bool hand_over(const fs::path& path, int slot) const override;
  std::string name() const override;

 private:
  SandboxBackend backend_;
  fs::path supervisor_;
};

/// The strongest backend that works here, found by running a command in it once.
LocalSandbox open_sandbox(const fs::path& supervisor = {});

}  // namespace warpgrade
